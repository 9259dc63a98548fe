import { type Fault, fail, fault, type Json, ok, type Result } from '@foldmesh/envelope';
import { cutTemplate, readPath } from '@foldmesh/job';
import type { Model, ModelReply, ModelRequest } from '@foldmesh/ports';
import { historyProblems } from './history-problems.ts';
import { reasoningProblems } from './reasoning-problems.ts';
import { saidIn } from './said-in.ts';
import type { Said, Script } from './script.ts';
import { statusFault } from './status-fault.ts';

/**
 * A model that plays a part from a file. It keeps nothing: which turn it is follows from the history, so a repeated
 * request gets the same reply, in every process. It is as strict as the strictest provider about what it is sent.
 */
export const scriptedModel = (scripts: ReadonlyMap<string, Script>): Model => ({
  async reply(request, signal, hear) {
    if (signal.aborted) return fail(fault('unanswered', 'the request was aborted'));
    const script = scripts.get(request.model);
    const problems = [
      ...historyProblems(request),
      ...(script === undefined ? [] : reasoningProblems(request, script)),
    ];
    if (problems.length > 0)
      return fail(
        fault('invalid', `the model refuses the request (400): ${problems.join('; ')}`, {
          source: 'scripted',
        }),
      );
    if (script === undefined)
      return fail(
        fault('invalid', `there is no script for the model ${request.model}`, { source: 'scripted' }),
      );
    const turn = request.messages.filter(({ role }) => role === 'assistant').length;
    const options = script.turns[turn];
    if (options === undefined)
      return fail(
        fault('invalid', `the script of ${request.model} has no turn ${turn + 1}`, { source: 'scripted' }),
      );
    const said = saidIn(options, lastResults(request));
    if (said === undefined)
      return fail(
        fault('invalid', `nothing that turn ${turn + 1} of ${request.model} could say fits the results`, {
          source: 'scripted',
        }),
      );
    const replied = replyOf(said, request);
    // Word by word; where it fails it has said so much before.
    if (replied.ok) for (const word of replied.value.text.split(/(?<=\s)(?=\S)/)) hear?.(word);
    return said.fault === undefined ? replied : fail(faultOf(said.fault, request));
  },
});

const faultOf = (said: NonNullable<Said['fault']>, { model }: ModelRequest): Fault => {
  if ('status' in said) return statusFault(model, said.status, said);
  const { kind, detail, retry_after_ms } = said;
  return fault(kind, detail, retry_after_ms === undefined ? {} : { retry_after_ms });
};

const lastResults = ({ messages }: ModelRequest): string => {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages
    .slice(last + 1)
    .map(({ text }) => text)
    .join('\n');
};

const replyOf = (said: Said, request: ModelRequest): Result<ModelReply> => {
  const input = inputOf(request);
  try {
    return ok({
      text: textOf(fill(said.text ?? '', input)),
      ...(said.reasoning !== undefined && { reasoning: said.reasoning }),
      calls: (said.calls ?? []).map((call) => ({ name: call.name, input: fill(call.input ?? {}, input) })),
      usage: said.usage ?? { input_tokens: null, output_tokens: null },
    });
  } catch (error) {
    return fail(
      fault(
        'invalid',
        `the script of ${request.model}: ${error instanceof Error ? error.message : String(error)}`,
        { source: 'scripted' },
      ),
    );
  }
};

/** A text that is one lookup alone keeps its value's type, and is said as the same value within a text is. */
const textOf = (filled: Json): string => (typeof filled === 'string' ? filled : JSON.stringify(filled));

/** What the agent was given: the first thing that was said to it, as JSON where it is. */
const inputOf = ({ messages }: ModelRequest): Json => {
  const text = messages[0]?.text ?? '';
  try {
    return JSON.parse(text) as Json; // JSON.parse yields nothing else
  } catch {
    return text;
  }
};

/** Lookups in texts, wherever they stand; one that is the whole text keeps its value's type. */
const fill = (template: Json, input: Json): Json => {
  if (typeof template === 'string') return fillText(template, input);
  if (Array.isArray(template)) return template.map((element) => fill(element, input));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fill(value, input)]));
};

const fillText = (text: string, input: Json): Json => {
  const parsed = cutTemplate<{ readonly path: readonly string[] }>(text, (inside) =>
    /^input(\.|$)/.test(inside)
      ? { path: inside.split('.').slice(1) }
      : `\${${inside}} must start with input`,
  );
  if ('wrong' in parsed) throw new Error(parsed.wrong);
  const values = parsed.pieces.map((piece) => {
    if (typeof piece === 'string') return piece;
    const found = readPath(input, piece.path);
    if ('missing' in found) throw new Error(`in the input there is ${found.missing}`);
    return found.value;
  });
  const [only, ...more] = values;
  if (only !== undefined && more.length === 0) return only;
  return values.map(textOf).join('');
};
