import { Digest, type Json, PoolName, type RunKind, sha256Hex } from '@foldmesh/envelope';
import type { Catalogue, Offer } from '../plan/catalogue.ts';

/** What the test catalogue holds beside its own offers, and how much room its pools have. */
export interface Stock {
  /** Tasks that each pool carries out at once; 4 where nothing is said. */
  readonly slots?: number;
  /** Milliseconds by name, as if the mesh had seen it run. */
  readonly costs?: Readonly<Record<string, number>>;
}

/** Skills `work.*` in the pool `default` and `far.work` in `far`, tools, and pipelines that must be lists. */
export const testCatalogue = ({ slots = 4, costs = {} }: Stock = {}): Catalogue => {
  const offers = new Map(
    stocked.map(([kind, name, pool]): [string, Offer] => [
      `${kind}:${name}`,
      {
        kind,
        name,
        pool: PoolName.parse(pool),
        digest: Digest.parse(sha256Hex(name)),
        ...(costs[name] !== undefined && { cost_ms: costs[name] }),
      },
    ]),
  );
  return {
    find: (kind, name) => offers.get(`${kind}:${name}`),
    names: (kind) => stocked.filter(([one]) => one === kind).map(([, name]) => name),
    slots: () => slots,
    pipelineProblems: (steps: Json) => (Array.isArray(steps) ? [] : ['a pipeline is a list of steps']),
  };
};

const stocked: readonly (readonly [RunKind, string, string])[] = [
  ['skill', 'work.a', 'default'],
  ['skill', 'work.b', 'default'],
  ['skill', 'far.work', 'far'],
  ['skill', 'pipeline.run', 'default'],
  ['tool', 'files.list', 'default'],
  ['pipeline', 'digest', 'default'],
];
