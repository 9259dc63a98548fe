import type { Json } from '@foldmesh/envelope';
import { CommandError } from './command.ts';

/** `root=../other` sets an input; a value that reads as JSON is that value, anything else is text. */
export const parseInput = (
  text: string,
  all: Readonly<Record<string, Json>>,
): Readonly<Record<string, Json>> => {
  const [name, value] = namedValue('--input', text);
  return { ...all, [name]: jsonOrText(value) };
};

/** `team=platform`; may be given several times. */
export const parseLabel = (
  text: string,
  all: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  const [name, value] = namedValue('--label', text);
  return { ...all, [name]: value };
};

const namedValue = (option: string, text: string): readonly [name: string, value: string] => {
  const at = text.indexOf('=');
  if (at < 1) throw new CommandError(`${option} wants name=value, got ${JSON.stringify(text)}`);
  return [text.slice(0, at), text.slice(at + 1)];
};

/** `a,b` and a further one. */
export const parseList = (text: string, all: readonly string[]): readonly string[] => [
  ...all,
  ...text.split(',').map((part) => part.trim()),
];

/** A whole number between two bounds. */
export const parseWhole =
  (option: string, min: number, max: number) =>
  (text: string): number => {
    if (/^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
    throw new CommandError(`${option} wants a number from ${min} to ${max}, got ${JSON.stringify(text)}`);
  };

export const jsonOrText = (text: string): Json => {
  try {
    return JSON.parse(text) as Json; // JSON.parse yields nothing else
  } catch {
    return text;
  }
};
