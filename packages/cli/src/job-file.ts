import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Json, JsonObject } from '@foldmesh/envelope';
import { isJsonObject, limits } from '@foldmesh/envelope';
import { lookupsIn } from '@foldmesh/job';
import { type ParsedText, yamlText } from '@foldmesh/system';
import type { Shell } from './command.ts';

/** A job file as it was read; `name` is how it was named on the command line. */
export interface JobFile {
  readonly name: string;
  readonly path: string;
  readonly parsed: ParsedText;
}

/** Reads a job from YAML or JSON, from standard input where the file is `-`, with `inputs` overridden by name. Problems are whole sentences with file and line. */
export const readJobFile = async (
  shell: Pick<Shell, 'cwd' | 'input'>,
  file: string,
  inputs: Readonly<Record<string, Json>>,
): Promise<JobFile | { readonly problems: readonly string[] }> => {
  const isInput = file === '-';
  const name = isInput ? 'standard input' : file;
  const path = resolve(shell.cwd, file);
  const text = await readText(() => (isInput ? shell.input(limits.bodyBytesMax) : readFile(path)), name);
  if (typeof text !== 'string') return text;
  const parsed = yamlText(text, name);
  if ('problems' in parsed) return parsed;
  if (!isJsonObject(parsed.value))
    return { problems: [`${name}:1: a job is an object with the fields name, goal, inputs, plan …`] };
  if (Object.keys(inputs).length === 0) return { name, path, parsed };
  const own = parsed.value['inputs'];
  const known = inputsOf(parsed.value);
  const strange = Object.keys(inputs).filter((input) => !known.has(input));
  if (strange.length > 0) {
    const there = [...known].join(', ') || 'none';
    return {
      problems: strange.map((input) => `--input ${input}: the job has no such input; there are ${there}`),
    };
  }
  const value = { ...parsed.value, inputs: { ...(isJsonObject(own) ? own : {}), ...inputs } };
  return { name, path, parsed: { value, lineOf: parsed.lineOf } };
};

/** Inputs that a job declares, or looks up without declaring them. */
const inputsOf = (job: JsonObject): ReadonlySet<string> => {
  const own = job['inputs'];
  const looked = lookupsIn(job['plan'] ?? null).lookups.flatMap(({ of, path }) =>
    of === 'inputs' ? path.slice(0, 1) : [],
  );
  return new Set([...(isJsonObject(own) ? Object.keys(own) : []), ...looked]);
};

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
};

const readText = async (
  read: () => Promise<Uint8Array>,
  name: string,
): Promise<string | { readonly problems: readonly string[] }> => {
  try {
    const bytes = await read();
    if (bytes.length > limits.bodyBytesMax)
      return { problems: [`${name}: it has ${bytes.length} bytes, the limit is ${limits.bodyBytesMax}`] };
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return { problems: [`${name}: not UTF-8`] };
    const { code } = error as NodeJS.ErrnoException; // reading throws nothing else
    return { problems: [`${name}: ${reasons[code ?? ''] ?? `it cannot be read (${code})`}`] };
  }
};
