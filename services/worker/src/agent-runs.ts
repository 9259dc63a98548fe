import { fail, indexSubject, type JsonObject, ok, type PoolName, positionOf } from '@foldmesh/envelope';
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
import { folds, type Part } from '@foldmesh/runtime';
import { lackingNames } from './lacking-names.ts';
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
        const known = await toolsAtHand(agents, shelf, envelope);
        return known.ok ? ok(undefined) : known;
      },
      onTurn(host, entity, state) {
        if (entity.run === undefined || state.started === undefined) return Promise.resolve(ok(undefined));
        return host.ports.index.put(indexSubject(entity), indexedRun(state));
      },
    })(host);
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
