import { ok, type Result } from '@foldmesh/envelope';
import type { Clock, Log } from '@foldmesh/ports';
import { type ApiKey, holderOf } from './api-key.ts';
import { type KeysFile, keysReader } from './keys-file.ts';

/** The keys in force. */
export interface Keys extends AsyncDisposable {
  /** The key that this text is, unless it is none, has been revoked, or has expired. */
  holder(text: string | undefined): ApiKey | undefined;
  /** Whether a key that was found may still be used, by somebody who has been let in with it. */
  isInForce(key: ApiKey): boolean;
  /** Why the keys in force may not be those of the file; empty when they are. */
  problems(): readonly string[];
}

/** How soon a key that was revoked is refused. Milliseconds. */
const lookMs = 1_000;

/**
 * The keys of a file, which is read again every second: a mounted secret changes by a link that leads elsewhere, of which
 * no watcher of the file itself is told. A file that cannot be read leaves those in force that were in it before.
 */
export const watchedKeys = async (
  file: KeysFile,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<Result<Keys>> => {
  const read = keysReader(file);
  const first = await read();
  if (!first.ok) return first;
  let byId = byIdOf(first.value);
  let problem: string | undefined;
  const over = new AbortController();

  const look = async (): Promise<void> => {
    const found = await read();
    const wrong = found.ok ? undefined : found.fault.detail;
    if (wrong !== problem) {
      if (wrong === undefined) log('info', 'the API keys can be read again');
      else log('error', 'the API keys cannot be read; those read last stay in force', { fault: wrong });
    }
    problem = wrong;
    if (found.ok) byId = byIdOf(found.value);
  };
  const watch = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await clock.sleep(lookMs, over.signal);
      if (!over.signal.aborted) await look();
    }
  };

  const watching = watch();
  return ok({
    holder: (text) => holderOf(byId, text, clock.now()),
    isInForce: ({ id, hash, tenant }) => {
      const now = byId.get(id);
      return now?.hash === hash && now.tenant === tenant && clock.now() < now.expires_at;
    },
    problems: () => (problem === undefined ? [] : [`api.keys: ${problem}; the keys read last stay in force`]),
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await watching;
    },
  });
};

const byIdOf = (keys: readonly ApiKey[]): ReadonlyMap<string, ApiKey> =>
  new Map(keys.map((key) => [key.id, key]));
