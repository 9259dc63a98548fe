import {
  catalogueRoot,
  Digest,
  firstIssue,
  Instant,
  type Json,
  Name,
  ok,
  PoolName,
  type Result,
  RunKind,
} from '@foldmesh/envelope';
import { type Catalogue, jobLimits, type Offer } from '@foldmesh/job';
import type { Ports } from '@foldmesh/ports';
import { heardOffers } from '@foldmesh/runtime';
import { checkPipeline, type Target, type Targets } from '@foldmesh/sdk';
import { z } from 'zod';

/** What a pool writes about itself into the index. */
export const PoolOffers = z.object({
  service: z.enum(['worker', 'tool-gateway', 'memory']),
  pool: PoolName,
  slots: z.int().positive(),
  at: Instant.optional(),
  /** Newest version of each type of message that it reads; who does not say it reads the first of all. */
  reads: z.record(z.string(), z.int().nonnegative()).optional(),
  offers: z.array(
    z.object({
      kind: RunKind,
      name: Name,
      digest: Digest,
      output_keys: z.array(z.string()).optional(),
      needs_tools: z.array(Name).optional(),
    }),
  ),
});
export type PoolOffers = z.infer<typeof PoolOffers>;

/** The catalogue as the manager knows it, and the durations it has seen. */
export interface CatalogueView extends Catalogue {
  /** Reads anew what the pools offer; with a fault it knows what it knew before. */
  refresh(): Promise<Result<void>>;
  /** One duration in milliseconds of what `<kind>:<name>` names. */
  observe(name: string, ms: number): void;
}

/** Tool tasks are carried out by workers: those of the default pool, or where there is none of whichever there are. */
const toolPoolOf = (pools: readonly PoolOffers[]): PoolName => {
  const workers = pools.filter(({ service }) => service === 'worker').map(({ pool }) => pool);
  return workers.find((pool) => pool === defaultPool) ?? workers.toSorted()[0] ?? defaultPool;
};

const defaultPool = PoolName.parse('default');

export const catalogueView = ({ index, log }: Pick<Ports, 'index' | 'log'>): CatalogueView => {
  let pools: readonly PoolOffers[] = [];
  const heard = heardOffers<PoolOffers>();
  const seen = new Map<string, number[]>();
  const offerOf = (
    kind: RunKind,
    name: string,
  ): (PoolOffers['offers'][number] & { readonly pool: PoolName }) | undefined => {
    for (const { pool, offers } of pools)
      for (const offer of offers)
        if (offer.kind === kind && offer.name === name)
          return { ...offer, pool: kind === 'tool' ? toolPoolOf(pools) : pool };
    return undefined;
  };
  const targets: Targets = {
    skill: (name) => targetOf(offerOf('skill', name)),
    tool: (name) => targetOf(offerOf('tool', name)),
  };
  return {
    async refresh() {
      const listed = await index.list(catalogueRoot);
      if (!listed.ok) {
        log('warn', 'the catalogue cannot be read', { fault: listed.fault.detail });
        return listed;
      }
      const shown = new Map<string, PoolOffers>();
      for (const { subject, value } of listed.value) {
        const parsed = PoolOffers.safeParse(value);
        if (parsed.success) shown.set(subject, parsed.data);
        else log('warn', 'an offer that cannot be read', { subject, detail: firstIssue(parsed.error) });
      }
      pools = heard.hear(shown);
      return ok(undefined);
    },
    observe(name, ms) {
      const last = seen.get(name) ?? [];
      last.push(ms);
      if (last.length > jobLimits.observedMax) last.shift();
      seen.set(name, last);
    },
    find(kind, name): Offer | undefined {
      const offer = offerOf(kind, name);
      if (offer === undefined) return undefined;
      const cost_ms = median(seen.get(`${kind}:${name}`));
      return {
        kind,
        name,
        pool: offer.pool,
        digest: offer.digest,
        ...(cost_ms !== undefined && { cost_ms }),
        ...(offer.needs_tools !== undefined && { needs_tools: offer.needs_tools }),
      };
    },
    names: (kind) => {
      const offered = pools.flatMap(({ offers }) => offers.filter((offer) => offer.kind === kind));
      return [...new Set(offered.map(({ name }) => name))].toSorted();
    },
    slots: (of) => {
      const slots = pools
        .filter(({ service, pool }) => service === 'worker' && pool === of)
        .map((one) => one.slots);
      return Math.max(1, ...slots);
    },
    pipelineProblems(steps: Json) {
      const checked = checkPipeline(steps, targets);
      return 'problems' in checked ? checked.problems : [];
    },
  };
};

const targetOf = (
  offer: { readonly output_keys?: readonly string[] | undefined } | undefined,
): Target | undefined => (offer === undefined ? undefined : { outputKeys: offer.output_keys });

const median = (values: readonly number[] | undefined): number | undefined =>
  values === undefined ? undefined : values.toSorted((a, b) => a - b)[values.length >> 1];
