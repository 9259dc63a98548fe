import { json, limits, Name, PoolName } from '@foldmesh/envelope';
import { z } from 'zod';
import { runLimits } from './run-limits.ts';

/** The tool that an agent with a declared answer ends by. */
export const answerTool = 'answer';
/** Of memory's two tools the one that changes something. */
export const memoryWrite = 'memory.write';

/**
 * An agent as data: the same whether it was written in YAML or in TypeScript. A run keeps the one it began with, so a later
 * change of the file changes no run under way.
 */
export const Agent = z.strictObject({
  name: Name,
  description: z.string().max(1_000).optional(),
  instructions: z.string().min(1).max(runLimits.instructionsLengthMax),
  /** Which model, as the model port knows it: `scripted/second-look`. */
  model: z.string().min(1).max(limits.nameLengthMax),
  /** Names of the tools it may call, and no others. */
  tools: z
    .array(Name.max(runLimits.toolNameLengthMax))
    .max(128)
    .refine((names) => new Set(names).size === names.length, 'a tool is named once')
    .refine((names) => !names.includes(answerTool), `the name ${answerTool} is taken by the declared answer`)
    .default([]),
  /** JSON Schema of its answer. With it the run ends by the tool `answer`, without it by a turn that calls nothing. */
  answer: z
    .record(z.string(), json)
    .refine(({ type }) => type === 'object', 'the schema of an answer must say type: object')
    .optional(),
  limits: z
    .strictObject({
      turns: z.int().min(1).max(runLimits.turnsMax).default(runLimits.turnsDefault),
      parallel: z.int().min(1).max(runLimits.parallelMax).default(runLimits.parallelDefault),
      group_ms: z.int().min(1).max(runLimits.groupMsMax).default(runLimits.groupMsDefault),
    })
    .prefault({}),
});
export type Agent = z.infer<typeof Agent>;
export type AgentInput = z.input<typeof Agent>;

/** An agent as somebody writes one: stricter than what is stored, for a run that began with less must be read for ever. */
export const WrittenAgent = Agent.extend({
  instructions: z
    .string()
    .max(runLimits.instructionsLengthMax)
    .refine((text) => text.trim() !== '', 'they are blank: say what the agent is to do'),
});

/** Who carries a call of the model out. */
export const ToolBy = z.enum(['gateway', 'memory', 'run']);
export type ToolBy = z.infer<typeof ToolBy>;

/** A tool as a run may use it. */
export const RunTool = z.strictObject({
  name: Name,
  by: ToolBy,
  /** Its arguments are the run's answer, and end it. */
  terminal: z.boolean(),
  /** The gateway that has it, where that is not the default one. */
  pool: PoolName.optional(),
});
export type RunTool = z.infer<typeof RunTool>;
