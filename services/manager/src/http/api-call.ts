import type { TenantId, TraceId } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import type { Values } from '@foldmesh/runtime';
import type { CatalogueView } from '../catalogue-view.ts';

/** What every route works with. */
export interface Api {
  /** Asked again for a moment where they were away. */
  readonly ports: Ports;
  readonly catalogue: CatalogueView;
  readonly durability: string;
  readonly tenant: TenantId;
  readonly values: Values;
  /** Aborts when this process is about to end: streams end, nothing new is taken on. */
  readonly draining: AbortSignal;
}

/** One request, and the trace that it belongs to. */
export interface ApiCall extends Api {
  readonly request: Request;
  /** The part of the path that a route calls `name`; empty where there is none. */
  readonly param: (name: string) => string;
  readonly trace_id: TraceId;
  readonly traceparent: string;
}
