import { z } from 'zod';
import type { Lane } from './catalogue.ts';
import { type PoolName, tokenPattern } from './ids.ts';

export const ServiceName = z.enum(['manager', 'worker', 'tool-gateway', 'memory']);
export type ServiceName = z.infer<typeof ServiceName>;

/** Where work is addressed to. `manager` and `memory` have no pool of their own choosing: a shard, and `default`. */
export interface Address {
  readonly service: ServiceName;
  readonly pool: PoolName;
}

/** What one consumer reads: a service's pool and lane, of every tenant. */
export interface Queue extends Address {
  readonly lane: Lane;
}

/** Who sends or receives: `manager`, `memory`, `worker.<pool>` or `tool-gateway.<pool>`. */
export const Party = z
  .string()
  .regex(
    new RegExp(`^(manager|memory|worker\\.${tokenPattern}|tool-gateway\\.${tokenPattern})$`),
    'a service, or a service and its pool',
  );
export type Party = z.infer<typeof Party>;

/** A core subject on which somebody waits for an answer. */
export const ReplySubject = z
  .string()
  .max(256)
  .regex(/^[A-Za-z0-9_$-]+(\.[A-Za-z0-9_~-]+)*$/, 'a subject is tokens joined by dots');

export const partyOf = ({ service, pool }: Address): Party =>
  service === 'manager' || service === 'memory' ? service : `${service}.${pool}`;
