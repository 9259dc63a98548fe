import type { Recorded } from '@foldmesh/ports';
import { bell } from './bell.ts';
import { type Connection, isDefect } from './connection.ts';
import { faultFrom } from './faults.ts';

/** How long a follower waits without a hint before it looks by itself. Milliseconds. */
const lookMs = 1_000;
/** A hint may be ahead of the store; how soon a follower looks again. Milliseconds. */
const hintedMs = [2, 10, 40, 160] as const;

export interface Following {
  readonly pattern: string;
  readonly from: number;
  readonly signal: AbortSignal;
}

/**
 * Entries as they come. What counts is read from the leader, one after the other, so nothing is missed and nothing comes
 * twice; that there is something to read is heard on the side, as a core message that may get lost. A follower costs the
 * server no consumer, of which a stream may have a thousand.
 */
export async function* followJournal(
  { nats, settings, onReturn }: Pick<Connection, 'nats' | 'settings' | 'onReturn'>,
  { pattern, from, signal }: Following,
  read: (from: number) => Promise<Recorded | undefined>,
): AsyncGenerator<Recorded> {
  const { clock, log } = settings;
  const hints = bell(clock);
  const stopHearing = onReturn(hints.ring);
  const listening = nats.subscribe(pattern, { callback: hints.ring });
  let said = '';
  const readOrSay = (next: number): Promise<Recorded | undefined> =>
    read(next).catch((error: unknown) => {
      if (isDefect(error)) throw error;
      const { detail } = faultFrom(error, 'nats-journal');
      // Whoever follows is told nothing else, should it last.
      if (detail !== said) log('warn', 'a follower could not read', { pattern, fault: detail });
      said = detail;
      return undefined;
    });
  try {
    // Each entry rings once, so what has rung and was read needs no second look.
    let answered = 0;
    let heard = 0;
    let looked = 0;
    let isAtEnd = false;
    for (let next = from; !signal.aborted; ) {
      const rings = hints.rings();
      const found = await readOrSay(next);
      if (signal.aborted) return;
      if (found !== undefined) {
        next = found.seq + 1;
        looked = 0;
        yield found;
        if (!isAtEnd) continue;
        answered = Math.min(answered + 1, hints.rings());
        if (hints.rings() === answered) await hints.rest(lookMs, [signal]);
        continue;
      }
      isAtEnd = true;
      if (rings !== heard) looked = 0;
      heard = rings;
      const ms = rings === answered ? undefined : hintedMs[looked];
      looked += 1;
      // It has rung for what was never stored.
      if (ms === undefined) answered = rings;
      if (hints.rings() === rings) await hints.rest(ms ?? lookMs, [signal]);
    }
  } finally {
    stopHearing();
    listening.unsubscribe();
  }
}
