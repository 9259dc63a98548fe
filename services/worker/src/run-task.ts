import { fail, fault, type Json, ok, type Result, type TaskPart } from '@foldmesh/envelope';
import { pipelineSkill } from '@foldmesh/job';
import { type Call, chain, type Host, logCall, timeout, traceCall } from '@foldmesh/runtime';
import { type Skill, SkillFault } from '@foldmesh/sdk';
import type { RunTask } from './carry-tasks.ts';
import { type Lacks, lackingNames } from './lacking-names.ts';
import { runSkill, type SkillRun, skillCall } from './skill-run.ts';
import type { ToolCaller } from './tool-caller.ts';

export interface Definitions {
  readonly skills: ReadonlyMap<string, Skill>;
  /** As data, by name. */
  readonly pipelines: ReadonlyMap<string, Json>;
}

/** A task, and the state its middleware does not see. */
interface Request {
  readonly part: TaskPart;
  readonly input: Json;
  readonly run: SkillRun;
}

/**
 * Runs a task through its middleware, outermost first: log, trace, timeout. There is no retry here: a task's tries
 * are its tool calls' own, and another attempt is the manager's. One that ran out of time may have another: what it has
 * called so far keeps its results.
 */
export const taskRunner = (host: Host, definitions: Definitions, tools: ToolCaller): RunTask => {
  const { clock, inbox, log } = host.ports;
  const lacks = lackingNames(host);
  const name = ({ part }: Request): string => `run ${part.run.kind} ${part.run.name}`;
  const handler = chain<Request, Json>(
    [
      logCall(log, clock, name),
      traceCall(name),
      timeout(
        clock,
        ({ part }) => skillFor(definitions, part)?.timeoutMs ?? Number.MAX_SAFE_INTEGER,
        () => true,
        host.settings.abortGraceMs,
      ),
    ],
    (request, call) => carry(definitions, request, call, lacks),
  );
  return async (part, input, call) => {
    const run: SkillRun = {
      call,
      tools,
      inbox,
      skills: definitions.skills,
      sleep: (ms, signal) => clock.sleep(ms, signal),
      toolCalls: 0,
    };
    const result = await handler({ part, input, run }, call);
    const { end, toolCalls } = run;
    if (end !== undefined) return { ran: end, toolCalls };
    return {
      ran: result.ok ? { kind: 'done', output: result.value } : { kind: 'failed', fault: result.fault },
      toolCalls,
    };
  };
};

const skillFor = ({ skills }: Definitions, { run }: TaskPart): Skill | undefined => {
  if (run.kind === 'skill') return skills.get(run.name);
  return run.kind === 'pipeline' ? skills.get(pipelineSkill) : undefined;
};

const carry = async (
  definitions: Definitions,
  { part, input, run }: Request,
  call: Call,
  lacks: Lacks,
): Promise<Result<Json>> => {
  const { kind, name, inline } = part.run;
  // What a skill began and did not wait for ends with it.
  const over = new AbortController();
  const signal = AbortSignal.any([call.signal, over.signal]);
  const calls = skillCall(Object.assign(run, { call: { ...call, signal } }), '', signal);
  const skill = skillFor(definitions, part);
  const pipeline = inline ?? definitions.pipelines.get(name) ?? null;
  try {
    // A task that is a single tool is a skill of one call.
    if (kind === 'tool') return await guarded(name, async () => calls.tool(name, input));
    if (skill === undefined || (kind === 'pipeline' && pipeline === null)) return fail(lacks(kind, name));
    return await guarded(name, () =>
      runSkill(skill, kind === 'pipeline' ? { pipeline, input } : input, calls),
    );
  } finally {
    over.abort('cancelled');
  }
};

/** What a skill throws on purpose is its fault; anything else is an error in its code, which no retry mends. */
const guarded = async (name: string, run: () => Promise<Json>): Promise<Result<Json>> => {
  try {
    return ok(await run());
  } catch (error) {
    if (error instanceof SkillFault) return fail(error.fault);
    return fail(
      fault(
        'invalid',
        `${name} threw: ${error instanceof Error ? (error.stack ?? String(error)) : String(error)}`,
        { source: 'skill' },
      ),
    );
  }
};
