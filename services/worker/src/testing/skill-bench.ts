import { type Json, type Key, positionOf } from '@foldmesh/envelope';
import type { Call } from '@foldmesh/runtime';
import { callOf, type FakePorts, fakePorts } from '@foldmesh/runtime/internal';
import type { Skill, SkillCall } from '@foldmesh/sdk';
import { type SkillRun, skillCall } from '../skill-run.ts';
import type { ToolAnswer } from '../tool-caller.ts';

/** One call as a skill made it: of memory the type stands for a tool's name. */
export interface Asked {
  readonly key: Key;
  readonly tool: string;
  readonly input: Json;
  readonly signal: AbortSignal;
}

export type Answers = (asked: Asked) => ToolAnswer | Promise<ToolAnswer>;

export const doNothing: Answers = () => ({ kind: 'done', output: null });

/** A task at work on a gateway that answers as told; echoes where nothing is said. */
export interface SkillBench {
  readonly fake: FakePorts;
  readonly run: SkillRun;
  readonly asked: readonly Asked[];
  readonly calls: SkillCall;
  /** The numbers of the calls that went over the bus. */
  steps(): readonly string[];
}

export const runOf = (
  call: Partial<Call> = {},
  answers: Answers = ({ input }) => ({ kind: 'done', output: input }),
  skills: readonly Skill[] = [],
): SkillBench => {
  const fake = fakePorts();
  const asked: Asked[] = [];
  const run: SkillRun = {
    call: callOf(call),
    tools: {
      async call(key, { type, payload }, { signal }) {
        const isTool = type === 'tool.call';
        const input = isTool ? payload.input : (payload as Json); // what is sent is JSON
        const one = { key, tool: isTool ? payload.tool : type, input, signal };
        asked.push(one);
        return answers(one);
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
    inbox: fake.ports.inbox,
    skills: new Map(skills.map((skill) => [skill.name, skill])),
    sleep: (ms, signal) => fake.clock.sleep(ms, signal),
    toolCalls: 0,
  };
  return {
    fake,
    run,
    asked,
    calls: skillCall(run, '', run.call.signal),
    steps: () => asked.map(({ key }) => positionOf(key).step),
  };
};
