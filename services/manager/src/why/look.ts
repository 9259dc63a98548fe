import {
  catalogueRoot,
  type Fault,
  type Instant,
  ok,
  type Queue,
  type Result,
  type TenantId,
} from '@foldmesh/envelope';
import type { Filled, Ports, Standing } from '@foldmesh/ports';
import { type Pools, poolsIn } from './pools.ts';

/** Whose job it is, and where to look. */
export interface WhyApi {
  readonly ports: Ports;
  readonly tenant: TenantId;
}

/** One look at the mesh: the pools as they are at this moment, each queue asked for once, and which stores are away. */
export interface Look {
  readonly ports: Ports;
  readonly now: Instant;
  readonly pools: Pools;
  /** Stores that do not answer, with what was said instead. */
  readonly away: readonly Away[];
  /** The fullest stream that work needs room in; undefined where the bus does not say. */
  readonly filled: Filled | undefined;
  standing(queue: Queue): Promise<Result<Standing>>;
}

export interface Away {
  readonly store: 'inbox' | 'index' | 'bus' | 'dead';
  readonly fault: Fault;
}

export const lookAround = async ({ ports }: WhyApi): Promise<Look> => {
  const [inbox, index, filled] = await Promise.all([
    ports.inbox.generation(),
    ports.index.list(catalogueRoot),
    ports.bus.filled(),
  ]);
  const answers = { inbox, index, bus: filled } as const;
  const away = (['inbox', 'index', 'bus'] as const).flatMap((store): readonly Away[] => {
    const answer = answers[store];
    return answer.ok ? [] : [{ store, fault: answer.fault }];
  });
  const now = ports.clock.now();
  const asked = new Map<string, Promise<Result<Standing>>>();
  return {
    ports,
    now,
    away,
    pools: poolsIn(index.ok ? index.value.map(({ value }) => value) : [], now),
    filled: filled.ok ? filled.value : undefined,
    standing: (queue) => {
      const name = `${queue.service}/${queue.pool}/${queue.lane}`;
      const known = asked.get(name) ?? ports.bus.standing(queue);
      asked.set(name, known);
      return known;
    },
  };
};

export const isAway = ({ away }: Look, store: Away['store']): boolean =>
  away.some((one) => one.store === store);

/** What a record says of work, or nothing where the inbox does not know it, or is away itself. */
export const peekAt = async (look: Look, id: Parameters<Ports['inbox']['peek']>[0]) => {
  const peeked = isAway(look, 'inbox') ? ok(undefined) : await look.ports.inbox.peek(id);
  return peeked.ok ? peeked.value : undefined;
};
