import {
  type Envelope,
  type Fault,
  fail,
  indexSubject,
  type JsonObject,
  ok,
  type PoolName,
  positionOf,
  type Result,
} from '@foldmesh/envelope';
import type { Entity } from '@foldmesh/ports';
import {
  type Agent,
  groupDueAt,
  type RunEvent,
  type RunState,
  type RunType,
  runDecider,
  runEnded,
  runTypes,
} from '@foldmesh/run';
import { folds, type Host, type Part, send } from '@foldmesh/runtime';
import { lackingNames } from './lacking-names.ts';
import { refusedTasks } from './settle-tasks.ts';
import type { ToolShelf } from './tool-shelf.ts';
import { lackingAgent, toolsAtHand } from './tools-at-hand.ts';

/** The runs of this pool's agents: each a fold over its own journal. */
export const agentRuns =
  (agents: ReadonlyMap<string, Agent>, shelf: ToolShelf, pool: PoolName): Part =>
  (host) => {
    const lacks = lackingNames(host);
    return folds<RunState, RunEvent, RunType>({
      decider: runDecider({ find: (name) => agents.get(name), tool: (name) => shelf.find(name)?.run }),
      types: runTypes,
      begins: ['task.assign'],
      traceOf: ({ started }) => started?.trace_id,
      queues: [{ service: 'worker', pool, lane: 'decide' }],
      entityOf: ({ key }) => {
        const { tenant, job, task, round } = positionOf(key);
        return { tenant, job, run: { task, round } };
      },
      before: async ({ ports }, _entity, envelope) => {
        const lacking = lackingAgent(agents, envelope, ports.clock.now(), lacks);
        if (lacking !== undefined) return fail(lacking);
        const known = await toolsAtHand(agents, shelf, envelope, ports);
        return known.ok ? ok(undefined) : known;
      },
      onLost: (host, entity, envelopes, why) => endLost(host, entity, envelopes, why, pool),
      onTurn(host, entity, state) {
        if (entity.run === undefined || state.started === undefined) return Promise.resolve(ok(undefined));
        return host.ports.index.put(indexSubject(entity), indexedRun(state));
      },
    })(host);
  };

/**
 * Its journal can be read no further, so nothing more is written in it: its job is told each time that it asks, and the
 * manager sets no more timers for it.
 */
const endLost = async (
  host: Host,
  entity: Entity,
  envelopes: readonly Envelope[],
  why: Fault,
  pool: PoolName,
): Promise<Result<void>> => {
  for (const envelope of envelopes) {
    if (envelope.type !== 'task.assign') continue;
    const { idempotency_key: key, attempt, epoch, id, trace_id } = envelope;
    const at = host.ports.clock.now();
    const stamp = { sender: host.party, at, since: at, epoch, trace_id, causation_id: id };
    const refused = refusedTasks(host)({ key, attempt }, why);
    const sent = refused.ok ? await send(host.ports, refused.value, stamp) : refused;
    if (!sent.ok) return sent;
  }
  const [{ trace_id } = { trace_id: null }] = envelopes;
  const indexed: JsonObject = { status: 'failed', ended: true, position: 0, pool, trace_id };
  return host.ports.index.put(indexSubject(entity), indexed);
};

/** Enough for the manager's timers; where the run itself lives stands in its journal. */
const indexedRun = (state: RunState): JsonObject => {
  const wake_at = groupDueAt(state);
  return {
    status: state.status,
    ended: runEnded(state.status),
    position: state.position,
    pool: state.started?.pool ?? 'default',
    trace_id: state.started?.trace_id ?? null,
    ...(wake_at !== undefined && { wake_at }),
  };
};
