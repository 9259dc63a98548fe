import {
  type Fault,
  fail,
  fault,
  type Json,
  keyOf,
  MemoryQuery,
  MemoryWrite,
  type OpenCall,
  ok,
  positionOf,
  type Result,
} from '@foldmesh/envelope';
import type { Inbox } from '@foldmesh/ports';
import type { Call } from '@foldmesh/runtime';
import {
  factOverflow,
  Recollection,
  Remembered,
  type Skill,
  type SkillCall,
  SkillFault,
  type z,
} from '@foldmesh/sdk';
import { storedAnswer } from './stored-answer.ts';
import type { Asked, ToolCaller } from './tool-caller.ts';

/** Why a task ends whatever its skill makes of it. */
export type TaskEnd =
  | { readonly kind: 'unknown'; readonly open: OpenCall }
  | { readonly kind: 'failed'; readonly fault: Fault };

/** One task at work: what all branches of its skill share. */
export interface SkillRun {
  readonly call: Call;
  readonly tools: ToolCaller;
  readonly inbox: Inbox;
  readonly skills: ReadonlyMap<string, Skill>;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Memory's are counted with them: to an agent, too, memory is a tool. */
  toolCalls: number;
  end?: TaskEnd;
}

/** The call object of one branch. Its own calls are `<prefix>0`, `<prefix>1` …: the same in every run of the skill. */
export const skillCall = (run: SkillRun, prefix: string, signal: AbortSignal): SkillCall => {
  let made = 0;
  const nextStep = (): string => `${prefix}${made++}`;
  /** What is called within a call has its numbers below it, and a key holds only so many. */
  const inner = (step: string, branch: number): string => {
    const below = `${step}-${branch}-`;
    if (below.split('-').length - 1 > stepPartsMax)
      throw new SkillFault(fault('invalid', `calls within calls go at most ${stepPartsMax / 2} deep`));
    return below;
  };
  const tryTool = async (name: string, input: Json): Promise<Result<Json>> =>
    numberedCall(run, nextStep(), { type: 'tool.call', payload: { tool: name, input } }, signal);
  const memory = async (asked: Asked): Promise<Json> => {
    const result = await numberedCall(run, nextStep(), asked, signal);
    if (!result.ok) throw new SkillFault(result.fault);
    return result.value;
  };
  return {
    attempt: run.call.attempt,
    signal,
    deadline: run.call.deadline,
    tryTool,
    async tool(name, input) {
      const result = await tryTool(name, input);
      if (!result.ok) throw new SkillFault(result.fault);
      return result.value;
    },
    async remember(fact) {
      const payload = read(MemoryWrite, 'memory.write', asJson('what is remembered', fact));
      const overflow = factOverflow(payload);
      if (overflow !== undefined) throw new SkillFault(overflow);
      return read(Remembered, 'the answer of memory.write', await memory({ type: 'memory.write', payload }));
    },
    async recall(query) {
      const payload = read(MemoryQuery, 'memory.query', asJson('what is recalled', query));
      const answer = await memory({ type: 'memory.query', payload });
      return read(Recollection, 'the answer of memory.query', answer).facts;
    },
    async invoke(name, input) {
      const step = nextStep();
      const skill = run.skills.get(name);
      if (skill === undefined) throw new SkillFault(fault('invalid', `there is no skill ${name} here`));
      return runSkill(skill, input, skillCall(run, inner(step, 0), signal));
    },
    async all(branches, width) {
      const step = nextStep();
      const callOf = (index: number, within: AbortSignal) => skillCall(run, inner(step, index), within);
      return runBranches(callOf, branches, width ?? branches.length, signal);
    },
    sleep: (ms) => run.sleep(ms, signal),
  };
};

/** What is asked of memory is checked here: a message of another shape is set aside unread, and nobody answers it. */
const read = <T>(schema: z.ZodType<T>, what: string, value: Json): T => {
  const checked = schema.safeParse(value);
  if (!checked.success) throw new SkillFault(fault('invalid', `${what}: ${issues(checked.error.issues)}`));
  return checked.data;
};

/** Checks the input, runs, checks the output. */
export const runSkill = async (skill: Skill, input: Json, call: SkillCall): Promise<Json> => {
  const given = skill.input.safeParse(input);
  if (!given.success)
    throw new SkillFault(fault('invalid', `input of ${skill.name}: ${issues(given.error.issues)}`));
  const output = await skill.run(given.data as never, call); // its own schema has just made the type it wants
  const checked =
    skill.output === undefined ? { success: true as const, data: output } : skill.output.safeParse(output);
  if (!checked.success)
    throw new SkillFault(fault('invalid', `output of ${skill.name}: ${issues(checked.error.issues)}`));
  return asJson(`output of ${skill.name}`, checked.data);
};

const issues = (
  all: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): string =>
  all
    .map(({ path, message }) => `${path.length > 0 ? `${path.map(String).join('.')}: ` : ''}${message}`)
    .join('; ');

/** What leaves a skill is sent and stored as JSON, so it is JSON from here on. */
const asJson = (what: string, value: unknown): Json => {
  try {
    return JSON.parse(JSON.stringify(value ?? null)) as Json; // JSON.parse yields nothing else
  } catch (error) {
    const wrong = new SkillFault(fault('invalid', `${what} is no JSON: ${String(error)}`));
    wrong.cause = error;
    throw wrong;
  }
};

/** Branches, keyed by number, hold this many parts in a step (ADR 1): two for each level of calls within calls. */
const stepPartsMax = 8;

const runBranches = async <T>(
  callOf: (index: number, within: AbortSignal) => SkillCall,
  branches: readonly ((call: SkillCall) => Promise<T>)[],
  width: number,
  signal: AbortSignal,
): Promise<readonly T[]> => {
  const rest = new AbortController();
  const within = AbortSignal.any([signal, rest.signal]);
  const results: T[] = [];
  const failures: unknown[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < branches.length && !within.aborted) {
      const index = next++;
      try {
        const branch = branches[index] as (call: SkillCall) => Promise<T>; // index is in range
        results[index] = await branch(callOf(index, within));
      } catch (error) {
        failures.push(error);
        rest.abort('cancelled');
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(width, branches.length)) }, work));
  if (failures.length > 0) throw failures[0];
  if (within.aborted) throw new SkillFault(fault('unanswered', 'stopped before all branches had run'));
  return results;
};

/** One call at its number. A re-run answers from the stored result, and must ask the same. */
const numberedCall = async (
  run: SkillRun,
  step: string,
  asked: Asked,
  signal: AbortSignal,
): Promise<Result<Json>> => {
  if (run.end !== undefined || signal.aborted) return fail(fault('unanswered', 'the task has ended'));
  const { tenant, job, task, round } = positionOf(run.call.key);
  const key = keyOf({ tenant, job, task, round, step, call: '0' });
  run.toolCalls += 1;
  const answer =
    (run.call.again ? await storedAnswer(run.inbox, key, asked) : undefined) ??
    (await run.tools.call(key, asked, { ...run.call, signal }));
  switch (answer.kind) {
    case 'done':
      return ok(answer.output);
    case 'failed':
      if (answer.fault.source === 'key_reused') run.end ??= { kind: 'failed', fault: answer.fault };
      return fail(answer.fault);
    case 'unknown':
      run.end ??= { kind: 'unknown', open: answer.open };
      return fail(
        fault('unanswered', `the outcome of ${answer.open.call} is unknown: ${answer.open.detail}`),
      );
    case 'cancelled':
      return fail(fault('unanswered', 'the call was cancelled'));
    case 'paused':
      return fail(fault('refused', `only an agent can wait for a person: ${answer.question}`));
  }
};
