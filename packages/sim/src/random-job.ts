import { FaultKind, type Json, type JsonObject } from '@foldmesh/envelope';
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

type Task = { readonly [field: string]: Json };

export interface PlannedJob {
  readonly name: string;
  readonly spec: JsonObject & {
    readonly plan: { readonly tasks: readonly (Task & { readonly id: string })[] };
  };
  /** What its tools and skills intend; agents say it themselves, in their journals. */
  readonly intended: readonly Intended[];
}

export interface JobChoice {
  readonly name: string;
  /** Side effects it may have. */
  readonly classes: readonly EffectClass[];
  readonly agents: readonly string[];
}

const shapes = ['chain', 'wide', 'diamond', 'for_each', 'nested'] as const;
type Shape = (typeof shapes)[number];

/** A small random job: a shape, and in each place of it a tool, a skill or an agent. */
export const randomJob = (draw: Draw, choice: JobChoice): PlannedJob => {
  const intended: Intended[] = [];
  const shape = draw.oneOf(shapes);
  const count = draw.chance(0.03) ? 0 : countIn(draw, shape);
  const ids = Array.from({ length: count }, (_, index) => `${choice.name}-t${index}`);
  const tasks = ids.map((id, index) => {
    const deps = depsIn(shape, ids, index);
    return {
      id,
      ...taskIn(draw, { ...choice, shape, ids, intended }, index, deps),
      ...(deps.length > 0 && {
        depends_on: deps.map((task): Json => (draw.chance(0.3) ? { task, optional: true } : task)),
      }),
      ...(draw.chance(0.6) && { retry: { attempts: draw.from(1, 4) } }),
      ...routeFor(draw),
    };
  });
  const result =
    count > 0 && draw.chance(0.2)
      ? { result: `\${tasks.${draw.oneOf(ids)}.${draw.oneOf(resultPaths)}}` }
      : {};
  return {
    name: choice.name,
    spec: {
      name: 'sim-job',
      split: draw.oneOf(['auto', 'always', 'never']),
      // A state that is too large to ride along with every entry.
      ...(draw.chance(0.15) && { inputs: { pad: 'x'.repeat(9_000) } }),
      ...(draw.chance(0.08) && { budget: { wall_ms: draw.from(5_000, 60_000) } }),
      plan: { tasks, ...result },
    },
    intended,
  };
};

/** Of the last, nothing has an output of that kind: then the job ends `invalid`, saying so. */
const resultPaths = ['output', 'output', 'gaps', 'output.nowhere'] as const;

/** What a place in the plan is filled from. */
interface Places extends JobChoice {
  readonly shape: Shape;
  readonly ids: readonly string[];
  readonly intended: Intended[];
}

const countIn = (draw: Draw, shape: Shape): number => {
  if (shape === 'diamond') return 4;
  return shape === 'nested' ? draw.from(2, 3) : draw.from(1, shape === 'wide' ? 8 : 4);
};

const taskIn = (draw: Draw, places: Places, index: number, deps: readonly string[]): Task => {
  const { shape, ids, intended } = places;
  const [id = '', before] = [ids[index], ids[index - 1]];
  // Now and then the list that another is to run over is none.
  const loops = shape === 'for_each' || (shape === 'nested' && draw.chance(0.85));
  if (index === 0 && loops) return loopTask(draw, places, id);
  if (shape === 'nested' && index === 1 && before !== undefined) return innerLoop(draw, places, id, before);
  return randomTask(draw, places, id, deps, intended);
};

const depsIn = (shape: Shape, ids: readonly string[], index: number): readonly string[] => {
  const [first = '', second = '', third = ''] = ids;
  if (index === 0 || shape === 'wide') return [];
  if (shape !== 'diamond') return ids.slice(index - 1, index);
  return index === 3 ? [second, third] : [first];
};

const routeFor = (draw: Draw): Task => {
  if (draw.chance(0.3)) return {};
  return draw.oneOf<Task>([
    { on_failure: 'skip' },
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

/** A tool that fails whatever happens, or one whose failures pass before anybody gives up: what comes of it does not depend on chance. */
const witnessed = (draw: Draw): Task => ({
  ms: draw.oneOf([0, 20, 200, 1_000, 5_000, 8_000]),
  ...(draw.chance(0.1) && { bytes: draw.oneOf([300, 300, 20_000, 300_000]) }),
  ...(draw.chance(0.002) && { bytes: tooManyBytes }),
  ...(draw.chance(0.15) && { fails: plannedFailure(draw) }),
});

const plannedFailure = (draw: Draw): Task => {
  if (draw.chance(0.4))
    return {
      kind: draw.oneOf<FaultKind>(['unavailable', 'throttled']),
      times: draw.from(1, 2),
      later_ms: draw.oneOf([100, 100, 10_000]),
    };
  // What took nothing on and asks for a long wait is waited for until its deadline: that is no failure yet.
  const kind = draw.oneOf(FaultKind.options);
  const waits = kind === 'unavailable' || kind === 'throttled' ? [100, 1_000] : [100, 10_000, 10_000];
  return { kind, times: always, ...(draw.chance(0.6) && { later_ms: draw.oneOf(waits) }) };
};

const always = 1_000_000;
const tooManyBytes = 8 * 1024 * 1024 + 1;

const loopTask = (draw: Draw, { classes, agents, intended }: Places, id: string): Task => {
  const items = Array.from({ length: draw.from(0, 6) }, (_, index) => `${id}-i${index}`);
  const concurrency = draw.from(1, 4);
  if (agents.length > 0 && draw.chance(0.15))
    return {
      id,
      agent: draw.oneOf(agents),
      for_each: items.map((_, index) => `${id}~${index}`),
      concurrency,
      input: { id: '${item}' },
    };
  const effect = draw.oneOf(classes);
  items.forEach((item, index) => void intended.push({ id: item, effect, task: `${id}~${index}` }));
  return {
    id,
    tool: `witness.${effect}`,
    for_each: items,
    concurrency,
    input: { id: '${item}', ...witnessed(draw) },
  };
};

/** One more for each that the loop before has given: a gap there is a child that fails here, saying why. */
const innerLoop = (draw: Draw, { classes }: Places, id: string, before: string): Task => ({
  id,
  tool: `witness.${draw.oneOf(classes)}`,
  for_each: `\${tasks.${before}.output}`,
  concurrency: draw.from(1, 4),
  input: { id: `${id}-of-\${item.id}`, ms: draw.oneOf([0, 200, 2_000]) },
});
