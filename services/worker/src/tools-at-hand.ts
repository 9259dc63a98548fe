import { type Envelope, type Fault, fail, fault, type Instant, ok, type Result } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import type { Agent, RunType } from '@foldmesh/run';
import { silentMs } from '@foldmesh/runtime';
import type { Lacks } from './lacking-names.ts';
import type { ToolShelf } from './tool-shelf.ts';

/** How long a run that lacks a tool waits before it is looked for again. Milliseconds. */
const lookAgainMs = 1_000;

/**
 * A run that fails for want of a tool fails for good, and what the index shows may be older than the gateway that has just
 * come. So before a run begins, what it lacks is looked for again, until whoever has it would have said so since it was
 * assigned. A fault sends the assignment back.
 */
export const toolsAtHand = async (
  agents: ReadonlyMap<string, Agent>,
  shelf: ToolShelf,
  envelope: Envelope<RunType>,
  { clock, log }: Pick<Ports, 'clock' | 'log'>,
): Promise<Result<void>> => {
  if (envelope.type !== 'task.assign') return ok(undefined);
  const wanted = envelope.payload.tasks.flatMap(({ run }) => agents.get(run.name)?.tools ?? []);
  const lacking = (): readonly string[] => wanted.filter((name) => shelf.find(name) === undefined);
  if (lacking().length === 0) return ok(undefined);
  const now = clock.now();
  const read = await shelf.refresh();
  if (!read.ok) return read;
  const missing = lacking();
  const until = Math.min(envelope.created_at + silentMs, envelope.deadline ?? now);
  if (missing.length === 0 || now >= until) return ok(undefined);
  const names = missing.join(', ');
  log('info', 'a run waits for tools that nobody offers yet', { tools: names });
  return fail(fault('unavailable', `nobody offers ${names} yet`, { retry_after_ms: lookAgainMs }));
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
