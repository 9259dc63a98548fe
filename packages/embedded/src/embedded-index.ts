import { type Json, ok } from '@foldmesh/envelope';
import type { Index } from '@foldmesh/ports';
import { type EmbeddedWorld, portCall, type Stand, standOf } from './stand.ts';

/** Last value per subject, in memory; lists come in the order of the last put, as from a stream. */
export const embeddedIndex = (world: EmbeddedWorld): Index => indexOn(standOf(world));

/** A value as it was put, kept as text: each reader gets a copy of its own. `before` is what it came in the place of. */
interface Kept {
  readonly text: string;
  readonly at: number;
  readonly before: string | undefined;
}

export const indexOn = (stand: Stand): Index => {
  const { clock, dice, settings, watch } = stand;
  const call = portCall(stand, 'embedded-index');
  const values = new Map<string, Kept>();
  return {
    put: (subject, value) => {
      const text = JSON.stringify(value);
      return call(() => {
        const before = values.get(subject)?.text;
        values.delete(subject);
        values.set(subject, { text, at: clock.monotonic(), before });
        watch.indexed(subject, JSON.parse(text));
        return ok(undefined);
      });
    },
    list: (prefix) =>
      call(() => {
        const isStale = dice.hits('staleIndex');
        const since = clock.monotonic() - (isStale ? dice.wait(settings.staleMsMax) : 0);
        return ok(
          [...values].flatMap(([subject, { text, at, before }]) => {
            const seen = isStale && at > since ? before : text;
            return seen === undefined || !subject.startsWith(prefix)
              ? []
              : [{ subject, value: JSON.parse(seen) as Json }]; // JSON.parse yields nothing else
          }),
        );
      }),
  };
};
