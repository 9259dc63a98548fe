import type { Clock } from '@foldmesh/ports';
import { fileLook, type Seen, type Watched } from './file-look.ts';

/** How often files are looked at. Looking also sees what a mounted folder tells no watcher. Milliseconds. */
const lookMs = 300;

/**
 * Calls `reload` whenever something differs from how it was when it was loaded, and watches what that gives from then on.
 * A file that is still being written is waited for: two looks in a row must agree.
 */
export const keepReloading = async (
  first: Seen,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
  reload: () => Promise<Watched>,
): Promise<void> => {
  let current = first.watched;
  let loaded = first.look;
  let before = loaded;
  while (!signal.aborted) {
    await clock.sleep(lookMs, signal);
    const now = await fileLook(current);
    const isSettled = now === before;
    before = now;
    if (signal.aborted || !isSettled || now === loaded) continue;
    const next = await reload();
    before = await fileLook(next);
    // What changed while it was being loaded may have been loaded or not: then once more.
    loaded = (await fileLook(current)) === now ? before : '';
    current = next;
  }
};
