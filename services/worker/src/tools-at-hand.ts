import { type Envelope, type Fault, type Instant, ok, type Result } from '@foldmesh/envelope';
import type { Agent, RunType } from '@foldmesh/run';
import type { Lacks } from './lacking-names.ts';
import type { ToolShelf } from './tool-shelf.ts';

/**
 * Before a run begins, what it lacks is looked for once more: a run that fails for want of a tool fails for good, and the
 * shelf may be older than the gateway that has just come. A fault where nobody can say now what is offered.
 */
export const toolsAtHand = async (
  agents: ReadonlyMap<string, Agent>,
  shelf: ToolShelf,
  envelope: Envelope<RunType>,
): Promise<Result<void>> => {
  if (envelope.type !== 'task.assign') return ok(undefined);
  const wanted = envelope.payload.tasks.flatMap(({ run }) => agents.get(run.name)?.tools ?? []);
  return wanted.every((name) => shelf.find(name) !== undefined) ? ok(undefined) : shelf.refresh();
};

/**
 * Another worker of the pool may have an agent that this one lacks, as during a rollout, and will get the task when it
 * comes round. Nobody has it once the deadline is over: then the run says so.
 */
export const lackingAgent = (
  agents: ReadonlyMap<string, Agent>,
  envelope: Envelope<RunType>,
  now: Instant,
  lacks: Lacks,
): Fault | undefined => {
  if (envelope.type !== 'task.assign' || (envelope.deadline ?? 0) <= now) return undefined;
  const missing = envelope.payload.tasks.find(({ run }) => !agents.has(run.name))?.run.name;
  return missing === undefined ? undefined : lacks('agent', missing);
};
