import { confirm, isCancel, select, text, updateSettings } from '@clack/prompts';
import { isJsonObject, type Json, type JsonObject } from '@foldmesh/envelope';
import { printable } from '../printable.ts';

/** Where people are asked: standard output is for results. */
const output = process.stderr;

/** Ctrl-D, by which the reader of lines closes: without a word to the prompt, which would wait for ever. */
const endOfInput = '\u0004';

/** What a person answered; undefined when they left. */
export type Given = { readonly value: Json } | undefined;

/**
 * Asks a person for what a JSON Schema describes: a choice, a yes or no, a number, a text, the fields of an object one
 * after the other. A shape that has no question of its own is typed as JSON; the mesh checks what comes of it.
 */
export const askBySchema = async (asked: string, schema: Json | undefined): Promise<Given> => {
  const question = printable(asked);
  updateSettings({ aliases: { [endOfInput]: 'cancel' } });
  const shape = isJsonObject(schema) ? schema : {};
  const choices = shape['enum'];
  if (Array.isArray(choices) && choices.length > 0) return askChoice(question, choices);
  switch (shape['type']) {
    case 'boolean':
      return given(await confirm({ message: question, output }));
    case 'string':
      return given(await text({ message: question, output, validate: required(shape) }));
    case 'number':
    case 'integer':
      return askNumber(question, shape['type']);
    case 'object':
      return isJsonObject(shape['properties'])
        ? askFields(question, shape, shape['properties'])
        : askJson(question);
    default:
      return schema === undefined ? given(await text({ message: question, output })) : askJson(question);
  }
};

const given = <T extends Json>(answer: T | symbol | undefined): Given =>
  isCancel(answer) || typeof answer === 'symbol' ? undefined : { value: answer ?? '' };

const askChoice = async (question: string, choices: readonly Json[]): Promise<Given> => {
  const options = choices.map((choice, value) => ({ value, label: labelOf(choice) }));
  const chosen = await select({ message: question, options, output });
  return isCancel(chosen) ? undefined : { value: choices[chosen] ?? null };
};

const labelOf = (choice: Json): string =>
  printable(typeof choice === 'string' ? choice : JSON.stringify(choice));

const askNumber = async (question: string, type: 'number' | 'integer'): Promise<Given> => {
  const wrong = (typed: string | undefined): string | undefined => {
    const value = Number(typed);
    if (typed === undefined || typed.trim() === '' || !Number.isFinite(value)) return 'a number';
    return type === 'integer' && !Number.isInteger(value) ? 'a whole number' : undefined;
  };
  const answer = await text({ message: question, output, validate: wrong });
  return isCancel(answer) ? undefined : { value: Number(answer) };
};

const askJson = async (question: string): Promise<Given> => {
  const wrong = (typed = ''): string | undefined => (readJson(typed) === undefined ? 'JSON' : undefined);
  const answer = await text({ message: `${question} (as JSON)`, output, validate: wrong });
  return isCancel(answer) ? undefined : readJson(answer);
};

const readJson = (typed: string): Given => {
  try {
    return { value: JSON.parse(typed) as Json }; // JSON.parse yields nothing else
  } catch {
    return undefined;
  }
};

/** A field that need not be there is left out where nothing is typed. */
const askFields = async (question: string, shape: JsonObject, fields: JsonObject): Promise<Given> => {
  const needed = Array.isArray(shape['required']) ? shape['required'] : [];
  const answer: Record<string, Json> = {};
  for (const [name, schema] of Object.entries(fields)) {
    const described = isJsonObject(schema) ? schema['description'] : undefined;
    const about = typeof described === 'string' ? `${name}: ${described}` : name;
    const field = await askBySchema(`${question} ${about}`, schema);
    if (field === undefined) return undefined;
    if (field.value !== '' || needed.includes(name)) answer[name] = field.value;
  }
  return { value: answer };
};

const required =
  (shape: JsonObject) =>
  (typed: string | undefined): string | undefined =>
    (typed ?? '') === '' && Number(shape['minLength'] ?? 0) > 0 ? 'something' : undefined;
