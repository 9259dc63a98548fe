import { factWords, type Key, ok, type TenantId } from '@foldmesh/envelope';
import type { Fact, FactQuery, Memory } from '@foldmesh/ports';
import { copyJson, type EmbeddedWorld, portCall, type Stand, standOf } from './stand.ts';

/** Facts in memory, in a drawer per tenant: whatever else a call says, it is said of one drawer. */
export const embeddedMemory = (world: EmbeddedWorld): Memory => memoryOn(standOf(world));

export const memoryOn = (stand: Stand): Memory => {
  const call = portCall(stand, 'embedded-memory');
  const drawers = new Map<TenantId, Map<Key, Kept>>();
  return {
    write: (fact) => {
      const copy = copyJson(fact);
      return call(() => {
        const drawer = drawers.get(copy.tenant) ?? new Map<Key, Kept>();
        drawers.set(copy.tenant, drawer);
        const duplicate = drawer.has(copy.id);
        if (!duplicate) {
          drawer.set(copy.id, { fact: copy, words: new Set(factWords(copy.text)), tags: new Set(copy.tags) });
          stand.watch.remembered(copy);
        }
        return ok({ duplicate });
      });
    },
    query: (query) => {
      const copy = copyJson(query);
      return call(() => ok(bestOf(drawers.get(copy.tenant), copy).map(copyJson)));
    },
  };
};

/** A fact, and what it is found by: taken apart once, not in every query. */
interface Kept {
  readonly fact: Fact;
  readonly words: ReadonlySet<string>;
  readonly tags: ReadonlySet<string>;
}

const bestOf = (drawer: ReadonlyMap<Key, Kept> | undefined, query: FactQuery): readonly Fact[] => {
  const { job, text = '', tags = [], limit } = query;
  const words = factWords(text);
  const found: { readonly fact: Fact; readonly score: number; readonly written: number }[] = [];
  let written = 0;
  for (const kept of drawer?.values() ?? []) {
    written += 1;
    if (job !== undefined && kept.fact.job !== job) continue;
    if (!tags.every((tag) => kept.tags.has(tag))) continue;
    const score = words.filter((word) => kept.words.has(word)).length;
    // Who names words wants one of them at least; a text without any names none.
    if (words.length > 0 && score === 0) continue;
    found.push({ fact: kept.fact, score, written });
  }
  return found
    .sort((one, two) => two.score - one.score || two.fact.at - one.fact.at || two.written - one.written)
    .slice(0, limit)
    .map(({ fact }) => fact);
};
