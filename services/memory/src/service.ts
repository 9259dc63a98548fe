import { cut, type JsonObject, PoolName, settleDraft } from '@foldmesh/envelope';
import type { Memory, Ports } from '@foldmesh/ports';
import {
  answers,
  callerStanding,
  type HostSettings,
  type OneCall,
  offering,
  oneCall,
  type Part,
  refusedCall,
  type Service,
  serve,
} from '@foldmesh/runtime';
import { type MemoryType, memoryChain } from './memory-chain.ts';

/** What every service needs, and the store that is this one's alone. */
export type MemoryPorts = Ports & { readonly memory: Memory };

export interface MemorySettings {
  /** Writes and queries carried out at once. */
  readonly slots: number;
  readonly host?: HostSettings;
}

/** Remembers facts and recalls them, each tenant's for that tenant alone. */
export const memoryService = (ports: MemoryPorts, settings: MemorySettings): Service =>
  serve('memory', ports, [memoryPart(ports.memory, settings)], settings.host);

/** Memory's one pool. */
const pool = PoolName.parse('default');

/** An answer above this travels by reference. */
const inlineBytesMax = 16 * 1024;

const memoryPart =
  (memory: Memory, { slots }: MemorySettings): Part =>
  async (host) => {
    const offered = await offering(host, 'memory', pool, offersOf(slots));
    if (!offered.ok) return offered;
    const handler = memoryChain(host, memory);
    const calls: OneCall<MemoryType> = {
      // A write is known by its id and a query changes nothing: both may be carried out again.
      unsafe: () => false,
      label: ({ type, payload }) => cut(`${type} ${JSON.stringify(payload)}`, labelBytesMax),
      inlineBytesMax,
      run: async (envelope, call) => {
        const result = await handler(envelope, call);
        return result.ok ? { kind: 'done', output: result.value } : { kind: 'failed', fault: result.fault };
      },
      settle: settleOf,
      standing: callerStanding,
    };
    return answers({
      queue: { service: 'memory', pool, lane: 'call' },
      slots,
      by: [
        { type: 'memory.write', work: oneCall(calls), refusal: refusedCall(host, 'memory.write', settleOf) },
        { type: 'memory.query', work: oneCall(calls), refusal: refusedCall(host, 'memory.query', settleOf) },
      ],
    })(host);
  };

const labelBytesMax = 200;

const settleOf = settleDraft('memory.settle');

/** No task is carried out here, so there is nothing to name in a plan: it tells that memory is there, and what it answers. */
const offersOf = (slots: number): JsonObject => ({
  service: 'memory',
  pool,
  slots,
  offers: [],
  types: ['memory.write', 'memory.query'],
});
