import type { Finished } from './command.ts';
import type { Gate } from './gates.ts';

/** How one gate ended; `why` is absent where it passed. */
export interface Passage {
  readonly line: string;
  readonly why?: string;
}

/** Judges a gate by its exit code and by how much it looked at: one that saw next to nothing has not passed. */
export const passageOf = (gate: Gate, { code, output }: Finished, tookMs: number): Passage => {
  const { name, unit, lookedMin } = gate;
  const took = `${(tookMs / 1000).toFixed(1)} s`;
  if (code !== 0) return failed(gate, took, `${output.trimEnd()}\n`);
  const looked = lookedOrWhy(gate, output);
  if (typeof looked === 'string') return failed(gate, took, `${looked}\n`);
  if (looked >= lookedMin) return { line: `${name.padEnd(7)} ok      ${looked} ${unit}, ${took}` };
  return failed(
    gate,
    took,
    `${output.trimEnd()}\nit looked at ${looked} ${unit}, and must at ${lookedMin} or more\n`,
  );
};

/** A command that anybody can paste, whether or not they have pnpm. */
export const repeatOf = (command: readonly string[]): string =>
  `node tools/bootstrap.mjs exec ${command.map((word) => (/^[\w@./:=-]+$/.test(word) ? word : `'${word}'`)).join(' ')}`;

const failed = ({ name, command }: Gate, took: string, why: string): Passage => ({
  line: `${name.padEnd(7)} FAILED  ${took}; repeat it with: ${repeatOf(command)}`,
  why,
});

const lookedOrWhy = (gate: Gate, output: string): number | string => {
  try {
    return gate.looked(output);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};
