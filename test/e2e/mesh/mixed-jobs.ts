/** A side effect that a job is to have: what the witness writes, and how its tool is classed. */
export interface Intent {
  readonly effect: string;
  readonly tool: WitnessTool;
  /** The task that asks for it; its effects come in order. */
  readonly task: string;
}

export type WitnessTool = 'idempotent' | 'keyed' | 'unsafe';

/** A job, and all that is to come of it. */
export interface MixedJob {
  readonly name: string;
  readonly spec: unknown;
  readonly intents: readonly Intent[];
  readonly result: unknown;
}

/** How long one effect takes. Milliseconds. */
type Ms = () => number;

type Kind = (name: string, ms: Ms) => MixedJob;

const errands = (name: string, count: number, ms: number, tool: WitnessTool) => ({
  skill: 'test.errands',
  input: { name, count, ms, tool: `witness.${tool}` },
});

const intentsOf = (task: string, name: string, count: number, tool: WitnessTool): readonly Intent[] =>
  Array.from({ length: count }, (_, step) => ({ effect: `${name}/${step}`, tool, task }));

/** Tasks that are one tool call each, one after the other. */
const chain: Kind = (name, ms) => {
  const tools: readonly WitnessTool[] = ['keyed', 'unsafe', 'idempotent', 'keyed'];
  const tasks = tools.map((tool, step) => ({
    id: `t${step}`,
    tool: `witness.${tool}`,
    input: { effect: `${name}/${step}`, ms: ms() },
    ...(step > 0 && { depends_on: [`t${step - 1}`] }),
  }));
  return {
    name,
    spec: { name, plan: { tasks, result: '${tasks.t3.output.effect}' } },
    intents: tools.map((tool, step) => ({ effect: `${name}/${step}`, tool, task: `t${step}` })),
    result: `${name}/3`,
  };
};

/** Tasks side by side, and one that waits for them all. */
const wide: Kind = (name, ms) => {
  const tools: readonly WitnessTool[] = ['keyed', 'idempotent', 'keyed', 'unsafe', 'keyed'];
  const ids = tools.map((_, at) => `t${at}`);
  const tasks = tools.map((tool, at) => ({
    id: `t${at}`,
    tool: `witness.${tool}`,
    input: { effect: `${name}/${at}`, ms: ms() },
  }));
  const merge = {
    id: 'merge',
    skill: 'debug.echo',
    input: ids.map((id) => `\${tasks.${id}.output.effect}`),
  };
  return {
    name,
    spec: { name, split: 'always', plan: { tasks: [...tasks, merge], result: '${tasks.merge.output}' } },
    intents: tools.map((tool, at) => ({ effect: `${name}/${at}`, tool, task: `t${at}` })),
    result: tools.map((_, at) => `${name}/${at}`),
  };
};

/** One task for each of a list, each a skill of several calls. */
const each: Kind = (name, ms) => {
  const items = [0, 1, 2, 3].map((at) => `${name}/${at}`);
  const { skill, input } = errands('${item}', 2, ms(), 'keyed');
  const task = { id: 'each', skill, for_each: items, concurrency: 3, input };
  return {
    name,
    spec: { name, plan: { tasks: [task], result: '${tasks.each.output}' } },
    intents: items.flatMap((item, at) => intentsOf(`each~${at}`, item, 2, 'keyed')),
    result: items.map((item) => ({ done: [`${item}/0`, `${item}/1`] })),
  };
};

const skillOf =
  (tool: WitnessTool, count: number): Kind =>
  (name, ms) => ({
    name,
    spec: {
      name,
      plan: {
        tasks: [{ id: 'run', ...errands(name, count, ms(), tool) }],
        result: '${tasks.run.output.done}',
      },
    },
    intents: intentsOf('run', name, count, tool),
    result: intentsOf('run', name, count, tool).map(({ effect }) => effect),
  });

/** An agent whose model is scripted: two calls side by side, then a third. */
const agent: Kind = (name) => ({
  name,
  spec: {
    name,
    plan: {
      tasks: [{ id: 'run', agent: 'test.clerk', input: { name } }],
      result: '${tasks.run.output.name}',
    },
  },
  intents: intentsOf('run', name, 3, 'keyed'),
  result: name,
});

const kinds: Readonly<Record<string, Kind>> = {
  chain,
  wide,
  unsafe: skillOf('unsafe', 4),
  each,
  agent,
  idempotent: skillOf('idempotent', 4),
};

/** The job of this number: of each kind in turn. */
export const mixedJob = (at: number, ms: Ms): MixedJob => {
  const names = Object.keys(kinds);
  const kind = names[at % names.length] ?? 'chain';
  return (kinds[kind] ?? chain)(`${kind}-${at}`, ms);
};
