import type { Key } from '@foldmesh/envelope';
import {
  fail,
  fault,
  type Instant,
  type JobId,
  type Json,
  ok,
  positionOf,
  type Result,
  type TenantId,
} from '@foldmesh/envelope';
import { jobFold, jobUntil } from '@foldmesh/job';
import type { ModelMessage, ModelRequest, ModelTool } from '@foldmesh/ports';
import {
  answerTool,
  carriedBy,
  historyOf,
  instructionsOf,
  type RunEventOf,
  resultText,
  type Unresolved,
} from '@foldmesh/run';
import { faultAt, type Host, load, type Values } from '@foldmesh/runtime';
import { type ReadRuns, runEvents } from './run-events.ts';
import { inputOf } from './task-input.ts';
import { answerToolOf, type ToolShelf } from './tool-shelf.ts';

export interface Asked {
  readonly key: Key;
  readonly request: ModelRequest;
  readonly started: RunEventOf<'run-started'>;
  /** When the job is over, as far as can be said: while a person is waited for, its time stands still. */
  readonly until?: Instant;
}

/** Reads the journal up to the position that asks, and says to the model what it says there: the same for every repeat. */
export const modelRequest = async (
  host: Host,
  values: Values,
  shelf: ToolShelf,
  key: Key,
  kept?: ReadRuns,
): Promise<Result<Asked>> => {
  const { tenant, job, task, round, step } = positionOf(key);
  const events = await runEvents(host.ports, { tenant, job, run: { task, round } }, Number(step), kept);
  if (!events.ok) return events;
  // A run that had asked no model begins anew with another attempt: the last beginning is the one that asks.
  const started = events.value.findLast((event) => event.kind === 'run-started');
  if (started === undefined) return fail(fault('invalid', `there is no run at ${key}`));
  const { part, bind, agent } = started;
  const input = await inputOf(part, { tenant, job, values, bind, local: new Map() });
  if (!input.ok) return input;
  const messages = await resolved(historyOf(events.value, textOf(input.value)), tenant, job, values);
  if (!messages.ok) return messages;
  const loaded = await load(host.ports, jobFold, { tenant, job });
  if (!loaded.ok) return fail(loaded.fault);
  const { state } = loaded.value;
  const tools = toolsOf(started, shelf);
  if (!tools.ok) return tools;
  const instructions = instructionsOf(agent, state.spec);
  const request = { model: agent.model, instructions, messages: messages.value, tools: tools.value };
  const until = jobUntil(state);
  return ok({ key, started, request, ...(until !== undefined && { until }) });
};

const textOf = (input: Json): string =>
  typeof input === 'string' && input !== '' ? input : JSON.stringify(input);

/** Long enough that the host hands the call back instead of trying it again here. */
const elsewhereMs = 3_000;

/** The tools that the run was begun with, all of them: a model that is told of fewer goes another way. */
const toolsOf = (
  { agent, tools }: RunEventOf<'run-started'>,
  shelf: ToolShelf,
): Result<readonly ModelTool[]> => {
  const told: ModelTool[] = [];
  for (const { name } of tools) {
    const found =
      name === answerTool && agent.answer !== undefined ? answerToolOf(agent.answer) : shelf.find(name)?.told;
    if (found === undefined)
      return fail(
        fault('unavailable', `nobody offers the tool ${name} of ${agent.name} any more`, {
          retry_after_ms: elsewhereMs,
        }),
      );
    told.push(found);
  }
  return ok(told);
};

/** A result above this is shown as its head and its tail: what is between can be asked for again, more narrowly. */
const resultLengthMax = 16_000;

const resolved = async (
  history: readonly Unresolved[],
  tenant: TenantId,
  job: JobId,
  values: Values,
): Promise<Result<readonly ModelMessage[]>> => {
  const messages: ModelMessage[] = [];
  for (const message of history) {
    if (message.role !== 'tool') {
      messages.push(message);
      continue;
    }
    const carried = carriedBy(message.answer);
    const output = carried === undefined ? ok(undefined) : await values.load(tenant, job, carried);
    if (!output.ok) return fail(faultAt(`what ${message.name} has returned`, output.fault));
    const { text, failed } = resultText(message.answer, output.value);
    messages.push({ role: 'tool', call: message.call, name: message.name, text: shortened(text), failed });
  }
  return ok(messages);
};

const shortened = (text: string): string => {
  if (text.length <= resultLengthMax) return text;
  const half = resultLengthMax / 2;
  const head = text.slice(0, isWithinPair(text, half) ? half - 1 : half);
  const tailFrom = text.length - half;
  const tail = text.slice(isWithinPair(text, tailFrom) ? tailFrom + 1 : tailFrom);
  const leftOut = text.length - head.length - tail.length;
  return `${head}\n[… ${leftOut} characters left out: ask more narrowly …]\n${tail}`;
};

/** A cut here would leave two halves that are no characters, and providers refuse a text with one. */
const isWithinPair = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff;
