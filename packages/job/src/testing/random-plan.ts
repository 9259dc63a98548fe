import type { Json } from '@foldmesh/envelope';
import type { Choices } from '@foldmesh/ports/internal';
import type { TaskSpec } from '../spec.ts';
import { look, spec, task } from './specs.ts';

/** The list that every random job has among its inputs. */
const list = ['a', 'b', 'c', 'd', 'e'];

/** A random job: chains and fans, loops over every kind of list, retries, routes, optional dependencies. */
export const randomSpec = (draw: Choices): Json => {
  const tasks: TaskSpec[] = [];
  const count = draw.below(16);
  while (tasks.length < count) tasks.push(randomTask(draw, tasks));
  const last = tasks.at(-1);
  return spec(tasks, {
    inputs: { list, words: { one: 'x' } },
    split: draw.oneOf(['always', 'auto', 'never']),
    ...(draw.chance(15) && { budget: { wall_ms: 1 + draw.below(3_000) } }),
    ...(last !== undefined && draw.chance(50) && { result: resultOf(draw, last) }),
  });
};

const resultOf = (draw: Choices, { id, for_each }: TaskSpec): Json => {
  const outputs = [
    look(`tasks.${id}.output`),
    ...(for_each === undefined ? [look(`tasks.${id}.output.list`)] : []),
  ];
  return { last: outputs[draw.below(outputs.length)] ?? null, gaps: look(`tasks.${id}.gaps`) };
};

const randomTask = (draw: Choices, before: readonly TaskSpec[]): TaskSpec => {
  const deps = before.filter(() => draw.chance(35));
  const loop = draw.chance(35) ? randomLoop(draw, deps) : {};
  return task(`t${before.length}`, {
    skill: draw.oneOf(['work.a', 'work.a', 'work.b', 'far.work']),
    depends_on: deps.map(({ id }) => (draw.chance(35) ? { task: id, optional: true } : id)),
    input: inputFor(draw, deps, loop.for_each !== undefined),
    ...loop,
    ...(draw.chance(50) && { retry: { attempts: 1 + draw.below(3) } }),
    ...(draw.chance(85) && { on_failure: randomRoute(draw) }),
  });
};

const randomRoute = (draw: Choices): NonNullable<TaskSpec['on_failure']> =>
  draw.oneOf<NonNullable<TaskSpec['on_failure']>>([
    'skip',
    'skip',
    'fail',
    'skip',
    'skip',
    'skip',
    [
      { when: 'invalid', do: 'skip' },
      { when: 'unavailable', do: 'fail' },
    ],
  ]);

const randomLoop = (draw: Choices, deps: readonly TaskSpec[]): Partial<TaskSpec> => {
  const source = deps[draw.below(deps.length + 1)];
  const lists = [list.slice(0, draw.below(6)), look('inputs.list')] as const;
  return {
    for_each:
      source === undefined
        ? draw.oneOf<NonNullable<TaskSpec['for_each']>>([...lists])
        : outputOf(draw, source),
    concurrency: 1 + draw.below(4),
    ...(draw.chance(30) && { batch: 1 + draw.below(3) }),
  };
};

/** Of a loop the list of what its children made, or of its gaps; of any other task a list that may not be there. */
const outputOf = (draw: Choices, { id, for_each }: TaskSpec): string => {
  if (draw.chance(20)) return look(`tasks.${id}.gaps`);
  return for_each === undefined ? look(`tasks.${id}.output.list`) : look(`tasks.${id}.output`);
};

const inputFor = (draw: Choices, deps: readonly TaskSpec[], hasItem: boolean): Json => {
  const dep = deps[draw.below(deps.length + 1)];
  return {
    word: look('inputs.words.one'),
    ...(hasItem && { item: look('item') }),
    ...(dep !== undefined && { from: look(`tasks.${dep.id}.output`), gaps: look(`tasks.${dep.id}.gaps`) }),
  };
};
