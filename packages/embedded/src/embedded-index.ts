import { type Json, ok } from '@foldmesh/envelope';
import type { Index } from '@foldmesh/ports';
import { copyJson, type EmbeddedWorld, portCall, type Stand, standOf } from './stand.ts';

/** Last value per subject, in memory; lists come in the order of the last put, as from a stream. */
export const embeddedIndex = (world: EmbeddedWorld): Index => indexOn(standOf(world));

export const indexOn = (stand: Stand): Index => {
  const call = portCall(stand, 'embedded-index');
  const values = new Map<string, Json>();
  return {
    put: (subject, value) => {
      const copy = copyJson(value);
      return call(() => {
        values.delete(subject);
        values.set(subject, copy);
        return ok(undefined);
      });
    },
    list: (prefix) =>
      call(() =>
        ok(
          [...values]
            .filter(([subject]) => subject.startsWith(prefix))
            .map(([subject, value]) => ({ subject, value: copyJson(value) })),
        ),
      ),
  };
};
