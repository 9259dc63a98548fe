import { type Envelope, ok, type Result } from '@foldmesh/envelope';
import type { Agent, RunType } from '@foldmesh/run';
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
