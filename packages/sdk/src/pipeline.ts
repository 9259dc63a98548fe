import { firstIssue, isJsonObject, type Json, json, limits, MemoryQuery, Name } from '@foldmesh/envelope';
import { problemsIn, sayProblem } from '@foldmesh/job';
import { z } from 'zod';
import { templateKeys } from './pipeline-text.ts';

const ContextKey = z
  .string()
  .max(limits.nameLengthMax)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a context key is letters, digits and _');

/** A key of the context (`doc`, or `doc.title` inside it), or a literal: any value that is no string, or `{ value: … }`. */
const Source = z.union(
  [
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_-]+)*$/),
    z.strictObject({ value: json }),
    z.number(),
    z.boolean(),
    z.null(),
    z.array(json),
  ],
  'a source is a key of the context (doc, doc.title), a literal that is no text, or { value: … }',
);

type Source = z.infer<typeof Source>;

const stepsMax = 100;

const Step = z.strictObject({
  kind: z.enum(['render', 'invoke', 'retrieve', 'tool_call']),
  /** A template of this pipeline, a skill, a tool, or `memory`. */
  ref: Name,
  input_mapping: z.record(z.string(), Source).optional(),
  /** One key takes the whole output; several take the fields of those names. */
  output_keys: z.array(ContextKey).min(1).max(32),
});
export type Step = z.infer<typeof Step>;

/** A linear list of steps as data over a flat context: no branches, no loops. */
export const Pipeline = z.strictObject({
  name: Name.optional(),
  description: z.string().max(1000).optional(),
  /** Keys that the task's input must give. */
  inputs: z.array(ContextKey).optional(),
  templates: z.record(Name, z.string()).optional(),
  steps: z.array(Step).min(1).max(stepsMax),
  /** Keys that make the result; by default those of the last step. */
  output_keys: z.array(ContextKey).min(1).optional(),
});
export type Pipeline = z.infer<typeof Pipeline>;

/** What a reference can be: the fields of its output where they are known. */
export interface Target {
  readonly outputKeys?: readonly string[] | undefined;
}

export interface Targets {
  skill(name: string): Target | undefined;
  tool(name: string): Target | undefined;
}

/** The pipeline, or everything that is wrong with it: shape, unknown references, unknown keys. */
export const checkPipeline = (
  value: Json,
  targets: Targets,
): { readonly pipeline: Pipeline } | { readonly problems: readonly string[] } => {
  const parsed = Pipeline.safeParse(Array.isArray(value) ? { steps: value } : value);
  if (!parsed.success) return { problems: problemsIn(Pipeline, parsed.error.issues).map(sayProblem) };
  const pipeline = parsed.data;
  const problems: string[] = [];
  const known = new Set(pipeline.inputs ?? []);
  pipeline.steps.forEach((step, index) => {
    for (const problem of stepProblems(pipeline, step, known, targets))
      problems.push(`step ${index + 1}: ${problem}`);
    for (const key of step.output_keys) known.add(key);
  });
  for (const key of pipeline.output_keys ?? [])
    if (!known.has(key)) problems.push(`output_keys: no step makes ${key}`);
  return problems.length > 0 ? { problems } : { pipeline };
};

const stepProblems = (
  pipeline: Pipeline,
  step: Step,
  known: ReadonlySet<string>,
  targets: Targets,
): readonly string[] => {
  const problems: string[] = [];
  const needs = Object.values(step.input_mapping ?? {}).filter((source) => typeof source === 'string');
  for (const source of needs) {
    const [key] = source.split('.');
    if (key !== undefined && !known.has(key)) problems.push(`input_mapping: nothing before it makes ${key}`);
  }
  if (step.kind === 'retrieve') return [...problems, ...retrieveProblems(step)];
  if (step.kind === 'render') return [...problems, ...renderProblems(pipeline, step)];
  const target = step.kind === 'invoke' ? targets.skill(step.ref) : targets.tool(step.ref);
  if (target === undefined)
    return [...problems, `ref: there is no ${step.kind === 'invoke' ? 'skill' : 'tool'} ${step.ref}`];
  const { outputKeys } = target;
  if (step.output_keys.length > 1 && outputKeys !== undefined)
    for (const key of step.output_keys)
      if (!outputKeys.includes(key))
        problems.push(`output_keys: ${step.ref} gives no ${key}, it gives ${outputKeys.join(', ')}`);
  return problems;
};

/** The one place that a `retrieve` step asks. */
const memoryRef = 'memory';

const retrieveProblems = ({ ref, input_mapping = {}, output_keys }: Step): readonly string[] => {
  const literals = Object.entries(input_mapping).flatMap(([name, source]) =>
    typeof source === 'string' ? [] : [[name, literalOf(source)] as const],
  );
  // What is looked up is checked when it is there; that a name is none of memory's can be seen now.
  const unknown = Object.keys(input_mapping).filter((name) => !Object.hasOwn(MemoryQuery.shape, name));
  const known = Object.fromEntries(literals.filter(([name]) => !unknown.includes(name)));
  const wrong = MemoryQuery.safeParse(known).error;
  const names = Object.keys(MemoryQuery.shape).join(', ');
  return [
    ...(ref === memoryRef ? [] : [`ref: retrieve asks ${memoryRef}, there is no ${ref} to ask`]),
    ...unknown.map((name) => `input_mapping: memory takes no ${name}, it takes ${names}`),
    ...(wrong === undefined ? [] : [`input_mapping: ${firstIssue(wrong)}`]),
    ...(output_keys.length > 1 ? ['output_keys: what was retrieved is one list and has one key'] : []),
  ];
};

const renderProblems = (pipeline: Pipeline, step: Step): readonly string[] => {
  const template = Object.hasOwn(pipeline.templates ?? {}, step.ref)
    ? pipeline.templates?.[step.ref]
    : undefined;
  if (template === undefined) return [`ref: there is no template ${step.ref}`];
  const needed = templateKeys(template);
  if ('wrong' in needed) return [`the template ${step.ref}: ${needed.wrong}`];
  const given = new Set(Object.keys(step.input_mapping ?? {}));
  const unknown = needed.keys.filter((key) => !given.has(key));
  const several = step.output_keys.length > 1 ? ['output_keys: a rendered text has one key'] : [];
  return [
    ...unknown.map((key) => `the template ${step.ref} uses ${key}, which input_mapping does not give`),
    ...several,
  ];
};

/** The value that a source stands for which looks nothing up. */
const literalOf = (source: Exclude<Source, string>): Json =>
  isJsonObject(source) ? (source['value'] ?? null) : source;

/** The fields of an object schema's output, where it is one that allows no others. */
export const outputKeysOf = (schema: z.ZodType | undefined): readonly string[] | undefined =>
  schema instanceof z.ZodObject && isClosed(schema) ? Object.keys(schema.shape) : undefined;

/** A loose object may give any field, and a plain one strips what it does not know: only those give just their own. */
const isClosed = ({ def }: z.ZodObject): boolean =>
  def.catchall === undefined || def.catchall instanceof z.ZodNever;
