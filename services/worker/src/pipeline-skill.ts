import type { Json, JsonObject } from '@foldmesh/envelope';
import { isJsonObject, json } from '@foldmesh/envelope';
import { pipelineSkill, readPath } from '@foldmesh/job';
import {
  checkPipeline,
  defineSkill,
  failed,
  type Pipeline,
  renderPipelineText,
  type Skill,
  type SkillCall,
  type Step,
  type Targets,
  type ToRecall,
  z,
} from '@foldmesh/sdk';

/** The one built-in skill that carries out every pipeline: its steps are this skill's numbered calls. */
export const pipelineRunner = (targets: Targets): Skill =>
  defineSkill({
    name: pipelineSkill,
    description: 'Carries out a pipeline.',
    input: z.strictObject({ pipeline: json, input: json }),
    run: async ({ pipeline, input }, call) => {
      const checked = checkPipeline(pipeline, targets);
      if ('problems' in checked) throw failed('invalid', checked.problems.join('; '));
      return runPipeline(checked.pipeline, isJsonObject(input) ? input : {}, call);
    },
  });

const runPipeline = async (pipeline: Pipeline, input: JsonObject, call: SkillCall): Promise<JsonObject> => {
  const missing = (pipeline.inputs ?? []).filter((key) => !Object.hasOwn(input, key));
  if (missing.length > 0) throw failed('invalid', `the input lacks ${missing.join(', ')}`);
  const context: Record<string, Json> = Object.fromEntries(
    (pipeline.inputs ?? []).map((key) => [key, input[key] ?? null]),
  );
  for (const [index, step] of pipeline.steps.entries()) {
    const output = await runStep(pipeline, step, argumentsOf(step, context, index), call);
    for (const [key, value] of outputsOf(step, output, index)) context[key] = value;
  }
  const last = pipeline.steps.at(-1)?.output_keys ?? [];
  return Object.fromEntries((pipeline.output_keys ?? last).map((key) => [key, context[key] ?? null]));
};

const argumentsOf = (step: Step, context: JsonObject, index: number): JsonObject =>
  Object.fromEntries(
    Object.entries(step.input_mapping ?? {}).map(([name, source]) => {
      if (typeof source !== 'string')
        return [name, isJsonObject(source) ? (source['value'] ?? null) : source];
      const found = readPath(context, source.split('.'));
      if ('missing' in found) throw failed('invalid', `step ${index + 1}: ${source}: ${found.missing}`);
      return [name, found.value];
    }),
  );

const runStep = async (pipeline: Pipeline, step: Step, given: JsonObject, call: SkillCall): Promise<Json> => {
  switch (step.kind) {
    case 'tool_call':
      return call.tool(step.ref, given);
    case 'invoke':
      return call.invoke(step.ref, given);
    case 'render': {
      const rendered = renderPipelineText(pipeline.templates?.[step.ref] ?? '', given);
      if (!rendered.ok) throw failed('invalid', `template ${step.ref}: ${rendered.fault.detail}`);
      return rendered.value;
    }
    case 'retrieve':
      return (await call.recall(given as ToRecall)) as Json; // it checks what it is given; its answer was read from JSON
  }
};

const outputsOf = (step: Step, output: Json, index: number): readonly (readonly [string, Json])[] => {
  const [only, ...more] = step.output_keys;
  if (only !== undefined && more.length === 0) return [[only, output]];
  return step.output_keys.map((key) => {
    const value = isJsonObject(output) && Object.hasOwn(output, key) ? output[key] : undefined;
    if (value === undefined) throw failed('invalid', `step ${index + 1}: ${step.ref} gave no ${key}`);
    return [key, value] as const;
  });
};
