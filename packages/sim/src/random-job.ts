import type { Json } from '@foldmesh/envelope';
import type { EffectClass } from '@foldmesh/sdk';
import type { Draw } from './draw.ts';

/** A side effect that a job intends: once it is done, there is one row of this id. */
export interface Intended {
  readonly id: string;
  /** `memory` is a fact of this text. */
  readonly effect: EffectClass | 'memory';
  /** The task it belongs to, as the record names it. */
  readonly task: string;
}

export interface PlannedJob {
  readonly name: string;
  readonly spec: Json;
  /** What its tools and skills intend; agents say it themselves, in their journals. */
  readonly intended: readonly Intended[];
}

type Task = { readonly [field: string]: Json };

export interface JobChoice {
  readonly name: string;
  /** Side effects it may have. */
  readonly classes: readonly EffectClass[];
  readonly agents: readonly string[];
}

const shapes = ['chain', 'wide', 'diamond', 'for_each'] as const;

/** A small random job: a shape, and in each place of it a tool, a skill or an agent. */
export const randomJob = (draw: Draw, choice: JobChoice): PlannedJob => {
  const intended: Intended[] = [];
  const shape = draw.oneOf(shapes);
  const count = shape === 'diamond' ? 4 : draw.from(1, shape === 'wide' ? 6 : 4);
  const ids = Array.from({ length: count }, (_, index) => `${choice.name}-t${index}`);
  const tasks = ids.map((id, index) => {
    const deps = depsIn(shape, ids, index);
    return {
      ...(shape === 'for_each' && index === 0
        ? loopTask(draw, choice, id, intended)
        : randomTask(draw, choice, id, deps, intended)),
      ...(deps.length > 0 && {
        depends_on: deps.map((task): Json => (draw.chance(0.3) ? { task, optional: true } : task)),
      }),
      ...(draw.chance(0.6) && { retry: { attempts: draw.from(1, 4) } }),
      ...routeFor(draw),
    };
  });
  return {
    name: choice.name,
    spec: { name: 'sim-job', split: draw.oneOf(['auto', 'always', 'never']), plan: { tasks } },
    intended,
  };
};

const depsIn = (shape: (typeof shapes)[number], ids: readonly string[], index: number): readonly string[] => {
  const [first = '', second = '', third = ''] = ids;
  if (index === 0 || shape === 'wide') return [];
  if (shape !== 'diamond') return ids.slice(index - 1, index);
  return index === 3 ? [second, third] : [first];
};

const routeFor = (draw: Draw): Task => {
  if (draw.chance(0.4)) return {};
  return draw.oneOf<Task>([
    { on_failure: 'skip' },
    { on_failure: 'fail' },
    {
      on_failure: [
        { when: 'refused', do: 'skip' },
        { when: 'invalid', do: 'fail' },
      ],
    },
  ]);
};

const randomTask = (
  draw: Draw,
  choice: JobChoice,
  id: string,
  deps: readonly string[],
  intended: Intended[],
): Task => {
  const [dep] = deps;
  const after: Task = dep !== undefined && draw.chance(0.2) ? { after: `\${tasks.${dep}.gaps}` } : {};
  if (choice.agents.length > 0 && draw.chance(0.35))
    return { id, agent: draw.oneOf(choice.agents), input: { id } };
  if (draw.chance(0.3))
    return { id, skill: 'sim.trip', input: { ...trip(draw, choice, id, intended), ...after } };
  return { id, ...toolCall(draw, choice, id, id, intended, after) };
};

const trip = (draw: Draw, choice: JobChoice, id: string, intended: Intended[]): Task => {
  const steps = (of: string, count: number): Json =>
    Array.from({ length: count }, (_, index) => toolCall(draw, choice, `${id}-${of}${index}`, id, intended));
  const remembers = draw.chance(0.4);
  if (remembers) intended.push({ id: `${id}-fact`, effect: 'memory', task: id });
  return {
    first: steps('f', draw.from(0, 2)),
    beside: steps('b', draw.from(0, 3)),
    ...(remembers && { remember: `${id}-fact` }),
  };
};

const toolCall = (
  draw: Draw,
  { classes }: JobChoice,
  id: string,
  task: string,
  intended: Intended[],
  more: Task = {},
): Task => {
  const effect = draw.oneOf(classes);
  intended.push({ id, effect, task });
  return { tool: `witness.${effect}`, input: { id, ...witnessed(draw), ...more } };
};

const witnessed = (draw: Draw): Task => ({
  ms: draw.oneOf([0, 20, 200, 1_000, 5_000]),
  ...(draw.chance(0.12) && {
    fails: {
      kind: draw.oneOf(['unavailable', 'refused', 'invalid', 'throttled']),
      times: draw.oneOf([1, 1, 2, 100]),
      later: draw.chance(0.5),
    },
  }),
});

const loopTask = (draw: Draw, { classes }: JobChoice, id: string, intended: Intended[]): Task => {
  const effect = draw.oneOf(classes);
  const items = Array.from({ length: draw.from(0, 6) }, (_, index) => `${id}-i${index}`);
  items.forEach((item, index) => void intended.push({ id: item, effect, task: `${id}~${index}` }));
  return {
    id,
    tool: `witness.${effect}`,
    for_each: items,
    concurrency: draw.from(1, 4),
    input: { id: '${item}', ...witnessed(draw) },
  };
};
