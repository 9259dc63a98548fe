import type { Address, Instant, Json, Type } from '@foldmesh/envelope';
import { silentMs } from '@foldmesh/runtime';
import { PoolOffers } from '../catalogue-view.ts';

/** A pool by what its processes say of themselves. */
export interface Pool {
  /** When any of them last said something; undefined where that was never. */
  readonly heardAt: Instant | undefined;
  readonly isAlive: boolean;
  /** What those that are alive can carry out, or what the last ones could: `<kind>:<name>`. */
  readonly names: ReadonlySet<string>;
  /** Which of these names some of those processes do not have, while others do: whoever lacks one hands its work back. */
  lackedBySome(names: readonly string[]): readonly string[];
  /** Of one process; where they differ, of the one that has most. */
  readonly slots: number;
  /** Newest version of a type that any of them reads; 0 where none knows the type. */
  reads(type: Type): number;
}

export type Pools = (of: Address) => Pool;

/** Who is alive is who has said something lately: offers of the others are kept, for their work waits for them. */
export const poolsIn = (values: readonly Json[], now: Instant): Pools => {
  const said = values.flatMap((value) => PoolOffers.safeParse(value).data ?? []);
  return ({ service, pool }) => {
    const all = said.filter((one) => one.service === service && one.pool === pool);
    const times = all.flatMap(({ at }) => at ?? []);
    const heardAt = times.length === 0 ? undefined : Math.max(...times);
    const alive = all.filter(({ at }) => at !== undefined && at > now - silentMs);
    const current = alive.length > 0 ? alive : all.filter(({ at }) => at === heardAt);
    return {
      heardAt,
      isAlive: alive.length > 0,
      names: new Set(current.flatMap(namesOf)),
      lackedBySome: (names) => {
        const each = current.map((one) => new Set(namesOf(one)));
        return names.filter(
          (name) => each.some((has) => has.has(name)) && !each.every((has) => has.has(name)),
        );
      },
      slots: Math.max(0, ...current.map(({ slots }) => slots)),
      reads: (type) =>
        Math.max(0, ...current.map(({ reads }) => (reads === undefined ? 1 : (reads[type] ?? 0)))),
    };
  };
};

const namesOf = ({ offers }: PoolOffers): readonly string[] =>
  offers.map(({ kind, name }) => `${kind}:${name}`);
