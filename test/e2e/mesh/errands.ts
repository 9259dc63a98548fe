import type { MixedJob, WitnessTool } from './mixed-jobs.ts';

/** One run of the errands skill: `count` effects of `ms` each, one after the other. */
interface Errands {
  readonly count: number;
  readonly ms: number;
  readonly tool: WitnessTool;
}

/** A job that is one such run; it is called like the job. */
export const oneErrand = (name: string, { count, ms, tool }: Errands): MixedJob => {
  const intents = Array.from({ length: count }, (_, step) => ({
    effect: `${name}/${step}`,
    tool,
    task: 'run',
  }));
  const input = { name, count, ms, tool: `witness.${tool}` };
  return {
    name,
    spec: {
      name,
      plan: { tasks: [{ id: 'run', skill: 'test.errands', input }], result: '${tasks.run.output.done}' },
    },
    intents,
    result: intents.map(({ effect }) => effect),
  };
};

/** A chain of such runs, `<name>/<task>` each: handed to one worker as a whole. */
export const errandChain = (name: string, tasks: number, { count, ms, tool }: Errands): MixedJob => {
  const ids = Array.from({ length: tasks }, (_, at) => `t${at}`);
  const last = ids.at(-1) ?? '';
  return {
    name,
    spec: {
      name,
      plan: {
        tasks: ids.map((id, at) => ({
          id,
          skill: 'test.errands',
          input: { name: `${name}/${id}`, count, ms, tool: `witness.${tool}` },
          ...(at > 0 && { depends_on: [`t${at - 1}`] }),
        })),
        result: `\${tasks.${last}.output.done}`,
      },
    },
    intents: ids.flatMap((id) =>
      Array.from({ length: count }, (_, step) => ({ effect: `${name}/${id}/${step}`, tool, task: id })),
    ),
    result: Array.from({ length: count }, (_, step) => `${name}/${last}/${step}`),
  };
};
