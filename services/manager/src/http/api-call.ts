import type { Result, TenantId, TraceId } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import type { Values } from '@foldmesh/runtime';
import type { CatalogueView } from '../catalogue-view.ts';
import type { EventHub } from './event-hub.ts';
import type { Room } from './latest.ts';
import type { Listed } from './listed-jobs.ts';

/** What every route works with. */
export interface Api {
  /** Asked again for a moment where they were away. */
  readonly ports: Ports;
  readonly catalogue: CatalogueView;
  readonly durability: string;
  readonly tenant: TenantId;
  readonly values: Values;
  /** What the readers of event streams share. */
  readonly hub: EventHub;
  /** The jobs of a tenant by the index, one look for all who ask at once. */
  readonly listed: (tenant: TenantId) => Promise<Result<readonly Listed[]>>;
  /** What the bodies that come in share. */
  readonly bodies: Room;
  /** Aborts when this process is about to end: streams end, nothing new is taken on. */
  readonly draining: AbortSignal;
}

/** One request, and the trace that it belongs to. */
export interface ApiCall<Query = unknown> extends Api {
  readonly request: Request;
  /** What stands behind the `?`, as the operation's schema has it. */
  readonly query: Query;
  /** Whether whoever asked may still be told more. */
  readonly mayGoOn: () => boolean;
  /** The part of the path that a route calls `name`; empty where there is none. */
  readonly param: (name: string) => string;
  readonly trace_id: TraceId;
  readonly traceparent: string;
}
