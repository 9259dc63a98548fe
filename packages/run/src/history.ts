import { type Carried, isJsonObject, type Json } from '@foldmesh/envelope';
import type { AskedCall, CallAnswer, RunEvent } from './events.ts';
import { runLimits } from './run-limits.ts';

/** What is said to a model. Call ids are ours: `c<turn>-<call>`, the same in every request. */
export type Message =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly reasoning?: Json;
      readonly calls: readonly SaidCall[];
    }
  | {
      readonly role: 'tool';
      readonly call: string;
      readonly name: string;
      readonly text: string;
      readonly failed: boolean;
    };

export interface SaidCall {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
}

/** A message whose tool output may still lie in the blob store. */
export type Unresolved =
  | Exclude<Message, { role: 'tool' }>
  | { readonly role: 'tool'; readonly call: string; readonly name: string; readonly answer: Said };
type Said = CallAnswer | { readonly kind: 'text'; readonly text: string; readonly failed: boolean };

interface Turn {
  readonly text: string;
  readonly reasoning?: Json;
  readonly calls: readonly AskedCall[];
  readonly answers: (Said | undefined)[];
}

/**
 * The one normaliser: whatever the journal holds, what a model gets is valid. Every call has one result, every result
 * its call, no turn is empty, no result is empty. Append-only: the history of a later position begins with that of an
 * earlier one, which is what provider caches pay for.
 */
export const historyOf = (events: readonly RunEvent[], input: string): readonly Unresolved[] => {
  const messages: Unresolved[] = [{ role: 'user', text: input.trim() === '' ? '(no input)' : input }];
  for (const [index, turn] of turnsOf(events).entries()) messages.push(...turnMessages(turn, index));
  return messages;
};

const turnsOf = (events: readonly RunEvent[]): readonly Turn[] => {
  const turns: Turn[] = [];
  for (const event of events) {
    const open = turns.at(-1);
    if (event.kind === 'model-replied') {
      const { text, calls, reasoning } = event;
      const answers = calls.map(({ problem }): Said | undefined =>
        problem === undefined ? undefined : { kind: 'text', text: problem, failed: true },
      );
      turns.push({ text, calls, answers, ...(reasoning !== undefined && { reasoning }) });
    } else if (event.kind === 'call-returned' && open !== undefined)
      open.answers[event.call] ??= event.answer;
    else if (event.kind === 'answer-given' && open !== undefined)
      open.answers[event.call] ??= { kind: 'output', output: { value: event.value } };
  }
  return turns;
};

const turnMessages = ({ text, reasoning, calls, answers }: Turn, index: number): readonly Unresolved[] => {
  const said = calls.map(
    ({ name, input }, call): SaidCall => ({
      id: `c${index}-${call}`,
      name: nameToSay(name),
      input: isJsonObject(input) ? input : { input },
    }),
  );
  const blank = text.trim() === '';
  const blankText = said.length === 0 ? '(nothing)' : '';
  const assistant: Unresolved = {
    role: 'assistant',
    // A turn that said nothing still was one: it is counted, and its reasoning kept.
    text: blank ? blankText : text,
    calls: said,
    ...(reasoning !== undefined && { reasoning }),
  };
  const results = said.map(
    ({ id, name }, call): Unresolved => ({
      role: 'tool',
      call: id,
      name,
      answer: answers[call] ?? interrupted,
    }),
  );
  // A turn that only talks, in a run that goes on, was not the answer that is wanted.
  return said.length === 0 ? [assistant, { role: 'user', text: nudge }] : [assistant, ...results];
};

/** A name that was made up may be one that no provider takes back; the journal has it as it came. */
const nameToSay = (name: string): string =>
  name.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, runLimits.toolNameLengthMax) || 'unnamed';

const nudge =
  'That was not an answer. Go on: call a tool, or give your answer in the form that was asked for.';
const interrupted: Said = {
  kind: 'text',
  text: 'Interrupted: the outcome of this call is unknown. It may have happened.',
  failed: true,
};

/** The text of a result, its output fetched. An empty one says so, since some providers refuse it. */
export const resultText = (
  answer: Said,
  output: Json | undefined,
): { readonly text: string; readonly failed: boolean } => {
  const { text, failed } = textOf(answer, output);
  return { text: text.trim() === '' ? '(no output)' : text, failed };
};

const textOf = (
  answer: Said,
  output: Json | undefined,
): { readonly text: string; readonly failed: boolean } => {
  switch (answer.kind) {
    case 'text':
      return { text: answer.text, failed: answer.failed };
    case 'fault':
      return { text: `${answer.fault.kind}: ${answer.fault.detail}`, failed: true };
    case 'unknown':
      return {
        text: `The outcome of ${answer.open.call} is unknown: ${answer.open.detail}. It may have happened; do not simply repeat it.`,
        failed: true,
      };
    case 'output': {
      const text = typeof output === 'string' ? output : JSON.stringify(output ?? null);
      return { text: isEmpty(output) ? '' : text, failed: false };
    }
  }
};

const isEmpty = (output: Json | undefined): boolean =>
  output === undefined || output === null || (Array.isArray(output) && output.length === 0);

/** The output that a result's text needs, if it lies somewhere. */
export const carriedBy = (answer: Said): Carried | undefined =>
  answer.kind === 'output' ? answer.output : undefined;
