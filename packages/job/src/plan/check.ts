import type { Json, PoolName, Run, RunKind } from '@foldmesh/envelope';
import { jobLimits } from '../job-limits.ts';
import { meantText } from '../known-fields.ts';
import { type Lookup, lookupsIn, readPath, wholeLookup } from '../lookups.ts';
import type { Problem } from '../problem.ts';
import type { JobSpec, TaskSpec } from '../spec.ts';
import type { Catalogue } from './catalogue.ts';
import { cycleIn, topological } from './graph.ts';
import { handedInput } from './handed-input.ts';
import type { PlanTask } from './plan.ts';

type Path = Problem['path'];
type Complain = (path: Path, message: string) => void;

/** A checked plan, or every offender at once. Nothing is dispatched before this has said yes. */
export const checkPlan = (
  spec: JobSpec,
  catalogue: Catalogue,
): { readonly tasks: readonly PlanTask[] } | { readonly problems: readonly Problem[] } => {
  const problems: Problem[] = [];
  const complain: Complain = (path, message) => problems.push({ path, message });
  const specs = spec.plan?.tasks ?? [];
  const ordinals = ordinalsOf(specs, complain);
  const tasks = specs.map((task, index) => planTask({ spec, task, index, ordinals, catalogue, complain }));
  addProbes(spec, tasks, ordinals, complain);
  complainOfCycle(tasks, complain);
  const edges = tasks.reduce((sum, task) => sum + task.deps.length, 0);
  if (edges > jobLimits.dependenciesMax)
    complain(
      ['plan', 'tasks'],
      `the plan has ${edges} dependencies, the limit is ${jobLimits.dependenciesMax}`,
    );
  return problems.length > 0 ? { problems } : { tasks };
};

const ordinalsOf = (specs: readonly TaskSpec[], complain: Complain): ReadonlyMap<string, number> => {
  const ordinals = new Map<string, number>();
  specs.forEach((task, index) => {
    if (ordinals.has(task.id))
      complain(['plan', 'tasks', index, 'id'], `the task id ${task.id} is used twice`);
    else ordinals.set(task.id, index);
  });
  return ordinals;
};

interface Checked {
  readonly spec: JobSpec;
  readonly task: TaskSpec;
  readonly index: number;
  readonly ordinals: ReadonlyMap<string, number>;
  readonly catalogue: Catalogue;
  readonly complain: Complain;
}

const planTask = (checked: Checked): PlanTask => {
  const { spec, task, index, ordinals } = checked;
  const at = ['plan', 'tasks', index];
  const run = runOf(checked, at);
  const input = task.input ?? handedInput(spec, task, (id) => ordinals.has(id));
  checkLookups(checked, [...at, 'input'], input, task.for_each !== undefined);
  if (task.for_each !== undefined) checkSource(checked, [...at, 'for_each'], task.for_each);
  return {
    id: task.id,
    ...run,
    input,
    deps: depsOf(checked, at, input),
    ...(task.for_each !== undefined && {
      for_each: {
        source: task.for_each,
        concurrency: task.concurrency ?? jobLimits.concurrencyDefault,
        ...(task.batch !== undefined && { batch: task.batch }),
      },
    }),
    attempts: task.retry?.attempts ?? 1,
    on_failure: rulesOf(task),
    probes: [],
  };
};

const rulesOf = (task: TaskSpec): PlanTask['on_failure'] => {
  const rules = Array.isArray(task.on_failure) ? task.on_failure : [{ do: task.on_failure ?? 'fail' }];
  return rules.map((rule) => ({
    ...('when' in rule && { when: rule.when }),
    do: rule.do === 'skip' ? 'skip' : 'fail',
  }));
};

const runKinds = ['skill', 'tool', 'agent', 'pipeline'] as const;

/** What the task runs and in which pool; a name nobody ever offered is refused with the names there are, and so is an agent's tool. */
const runOf = (
  { task, catalogue, complain }: Checked,
  at: Path,
): { run: Run; pool: PoolName; cost_ms: number } => {
  const steps: Json | undefined = typeof task.pipeline === 'string' ? undefined : task.pipeline;
  const inline = steps !== undefined;
  if (inline)
    for (const wrong of catalogue.pipelineProblems(steps))
      complain([...at, 'pipeline'], `task ${task.id}: ${wrong}`);
  const kind = runKinds.find((named) => task[named] !== undefined) ?? 'pipeline';
  const name = inline ? 'inline' : String(task[kind]);
  const offer = inline ? catalogue.find('skill', pipelineSkill) : catalogue.find(kind, name);
  if (offer === undefined)
    complain(
      [...at, kind],
      inline
        ? `task ${task.id}: no worker offers ${pipelineSkill}, which carries out a pipeline`
        : `task ${task.id}: ${notOffered(catalogue, kind, name)}`,
    );
  for (const tool of offer?.needs_tools ?? [])
    if (catalogue.find('tool', tool) === undefined)
      complain([...at, kind], `task ${task.id}: agent ${name}: ${notOffered(catalogue, 'tool', tool)}`);
  const cost = offer?.cost_ms ?? (kind === 'agent' ? jobLimits.costMsAgentDefault : jobLimits.costMsDefault);
  return {
    run: { kind, name, ...(inline && { inline: steps }) },
    pool: offer?.pool ?? ('default' as PoolName), // only until the complaint above ends the check
    cost_ms: cost,
  };
};

/** A catalogue may be long, and so may be the list of tasks that each miss something in it. */
const namesShownMax = 50;

/** That nobody offers something of this name, and what of its kind is offered. */
const notOffered = (catalogue: Catalogue, kind: RunKind, name: string): string => {
  const names = catalogue.names(kind);
  const more = names.length > namesShownMax ? ` and ${names.length - namesShownMax} more` : '';
  const there = names.length === 0 ? 'none' : `${names.slice(0, namesShownMax).join(', ')}${more}`;
  return `no ${kind} ${name} is offered; there are ${there}${meantText(name, names)}`;
};

/** The built-in skill that carries out every pipeline. */
export const pipelineSkill = 'pipeline.run';

/** Declared dependencies, and those that a reference to a task makes. A declared `optional` stands. */
const depsOf = ({ task, ordinals, complain }: Checked, at: Path, input: Json): PlanTask['deps'] => {
  const deps = new Map<number, boolean>();
  task.depends_on?.forEach((dependency, position) => {
    const name = typeof dependency === 'string' ? dependency : dependency.task;
    const where = [...at, 'depends_on', position];
    const ordinal = ordinals.get(name);
    if (name === task.id) complain(where, `task ${task.id} depends on itself`);
    else if (ordinal === undefined)
      complain(where, `task ${task.id} depends on ${name}, which is no task of the plan`);
    else if (deps.has(ordinal)) complain(where, `task ${task.id} depends on ${name} twice`);
    else deps.set(ordinal, typeof dependency !== 'string' && dependency.optional === true);
  });
  const source = task.for_each === undefined ? [] : lookupsIn(task.for_each).lookups;
  for (const lookup of [...lookupsIn(input).lookups, ...source]) {
    const ordinal = 'task' in lookup && lookup.task !== task.id ? ordinals.get(lookup.task) : undefined;
    if (ordinal !== undefined && !deps.has(ordinal)) deps.set(ordinal, false);
  }
  return [...deps].map(([ordinal, optional]) => ({ task: ordinal, optional }));
};

/** Into inputs and unknown tasks before dispatch; a path into an output can only be looked for once it is there. */
const checkLookups = (
  { spec, task, ordinals, complain }: Checked,
  at: Path,
  template: Json,
  hasItem: boolean,
): void => {
  const { lookups, wrong } = lookupsIn(template);
  for (const message of wrong) complain(at, `task ${task.id}: ${message}`);
  for (const lookup of lookups) {
    const fault = lookupFault(spec, ordinals, lookup, hasItem, task.id);
    if (fault !== undefined) complain(at, `task ${task.id}: \${${lookup.text}}: ${fault}`);
  }
};

const lookupFault = (
  spec: JobSpec,
  ordinals: ReadonlyMap<string, number>,
  lookup: Lookup,
  hasItem: boolean,
  self?: string,
): string | undefined => {
  if ('task' in lookup) {
    if (lookup.task === self) return 'a task cannot look into its own output';
    return ordinals.has(lookup.task) ? undefined : `there is no task ${lookup.task}`;
  }
  if (lookup.of === 'item') return hasItem ? undefined : 'there is an item only in the input of a for_each';
  const found = readPath(spec.inputs ?? {}, lookup.path);
  return 'missing' in found ? `in inputs there is ${found.missing}` : undefined;
};

const checkSource = (checked: Checked, at: Path, source: Json): void => {
  if (Array.isArray(source)) {
    checkLookups(checked, at, source, false);
    if (lookupsIn(source).lookups.length > 0)
      checked.complain(at, `task ${checked.task.id}: a list written in for_each cannot hold lookups`);
    return;
  }
  const lookup = typeof source === 'string' ? wholeLookup(source) : undefined;
  if (lookup === undefined) {
    checked.complain(at, `task ${checked.task.id}: for_each must be a list, or one lookup and nothing else`);
    return;
  }
  checkLookups(checked, at, source, false);
  if (lookup.of === 'inputs') {
    const found = readPath(checked.spec.inputs ?? {}, lookup.path);
    if ('value' in found && !Array.isArray(found.value))
      checked.complain(at, `task ${checked.task.id}: \${${lookup.text}} is not a list`);
  }
};

/** Tells each task which paths of its output a `for_each` or the result will need, and checks the result's lookups. */
const addProbes = (
  spec: JobSpec,
  tasks: readonly PlanTask[],
  ordinals: ReadonlyMap<string, number>,
  complain: Complain,
): void => {
  const asked = new Set<string>();
  const probe = (lookup: Lookup, at: Path, what: string): void => {
    const target = lookup.of === 'output' ? tasks[ordinals.get(lookup.task) ?? -1] : undefined;
    if (target === undefined || (lookup.path.length === 0 && what === 'result')) return;
    if (target.for_each === undefined) {
      if (!asked.has(lookup.text)) target.probes.push([...lookup.path]);
      asked.add(lookup.text);
    } else if (lookup.path.length > 0)
      complain(at, `${what}: \${${lookup.text}} looks into one child of a for_each: not supported yet`);
  };
  tasks.forEach((task, index) => {
    const source = task.for_each?.source;
    const lookup = typeof source === 'string' ? wholeLookup(source) : undefined;
    if (lookup) probe(lookup, ['plan', 'tasks', index, 'for_each'], 'for_each');
  });
  const { lookups, wrong } = lookupsIn(spec.plan?.result ?? null);
  for (const message of wrong) complain(['plan', 'result'], message);
  for (const lookup of lookups) {
    const fault = lookupFault(spec, ordinals, lookup, false);
    if (fault !== undefined) complain(['plan', 'result'], `\${${lookup.text}}: ${fault}`);
    probe(lookup, ['plan', 'result'], 'result');
  }
};

const complainOfCycle = (tasks: readonly PlanTask[], complain: Complain): void => {
  const graph = tasks.map((task) => task.deps.map((dep) => dep.task));
  const { stuck } = topological(graph);
  if (stuck.length === 0) return;
  const cycle = cycleIn(graph, stuck);
  const names = [...cycle, cycle[0] ?? 0].map((ordinal) => tasks[ordinal]?.id ?? '?');
  complain(
    ['plan', 'tasks', cycle[0] ?? 0, 'depends_on'],
    `the tasks wait for each other in a circle: ${names.join(' → ')}`,
  );
};
