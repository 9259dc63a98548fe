import { appendFile, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { defineTool, ok, z } from '@foldmesh/sdk';
import { wholeLines } from '../whole-lines.ts';

// The outside world of these tests: every side effect is one row in a file, and nothing ever takes one back.

const Input = z.strictObject({ effect: z.string(), ms: z.int().min(0).max(60_000).default(0) });

const witness = (effect: 'read' | 'idempotent' | 'keyed' | 'unsafe') =>
  defineTool({
    name: `witness.${effect}`,
    description: 'Appends one row that says it was done.',
    effect,
    input: Input,
    timeoutMs: 120_000,
    run: async (input, { key }) => {
      const rows = process.env['WITNESS_ROWS'];
      if (rows === undefined) throw new Error('WITNESS_ROWS names no file');
      if (input.ms > 0) await setTimeout(input.ms);
      // What takes the caller's key does not do again what it has done under it.
      if (effect === 'keyed' && (await keysIn(rows)).has(key)) return ok({ effect: input.effect });
      await appendFile(
        rows,
        `${JSON.stringify({ effect: input.effect, key, pid: process.pid, at: Date.now() })}\n`,
      );
      return ok({ effect: input.effect });
    },
  });

const keysIn = async (rows: string): Promise<ReadonlySet<string>> => {
  const text = await readFile(rows, 'utf8').catch(() => '');
  return new Set(wholeLines(text).map((line) => JSON.parse(line).key));
};

export const idempotent = witness('idempotent');
export const unsafe = witness('unsafe');
export const keyed = witness('keyed');
