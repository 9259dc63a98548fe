import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Mutation, mutations } from './mutations.ts';

// node packages/sim/src/testing/mutant.ts --list | --bug <its name> [--seeds 500] [--line <another>]: plays seeds on the services with one line changed,
// until the bug is found. The files stay as they are: the line is another only in what this process loads.
const { values } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
    bug: { type: 'string' },
    seeds: { type: 'string', default: '500' },
    line: { type: 'string' },
  },
});
const root = new URL('../../../../', import.meta.url);

/** The source with its one line changed; a line that is not there, or there twice, is a mutation that has come to nothing. */
const mutated = ({ file, line, becomes }: Mutation, source: string): string => {
  const [before, after, ...more] = source.split(line);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${file} has ${source.split(line).length - 1} lines that say: ${line}`);
  return before + becomes + after;
};

/** Lets this process load the changed source; tells afterwards whether anybody has. */
const mutate = (of: Mutation): (() => boolean) => {
  const target = new URL(of.file, root).href;
  const source = mutated(of, readFileSync(fileURLToPath(target), 'utf8'));
  let isLoaded = false;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url !== target) return loaded;
      isLoaded = true;
      return { ...loaded, source };
    },
  });
  return () => isLoaded;
};

/** Plays seeds until the bug is found; says in how many, or what was found instead. */
const hunt = async (mutation: Mutation, count: number): Promise<boolean> => {
  const wasLoaded = mutate(mutation);
  // Only now may anything be loaded that the line is in.
  const { runSeeds } = await import('../run-seeds.ts');
  const found: string[] = [];
  const { seeds } = await runSeeds({
    first: 1,
    count,
    hasty: true,
    until: ({ violations }) => violations.some((one) => mutation.says.test(one)),
    onSeed: ({ seed, violations }) => found.push(...violations.map((one) => `${one} (seed ${seed})`)),
  });
  if (!wasLoaded()) throw new Error(`${mutation.file} was never loaded: nothing has been tried`);
  const first = found.find((one) => mutation.says.test(one));
  print(`${first === undefined ? 'NOT FOUND' : `found: ${first}`}, in ${seeds} seeds`);
  if (first === undefined) for (const other of found.slice(0, 5)) print(`  instead: ${other}`);
  return first !== undefined;
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);

if (values.list) for (const { bug } of mutations) print(bug);
else {
  const mutation = mutations.find(({ bug }) => bug === values.bug);
  if (mutation === undefined) throw new Error(`there is no mutation called ${values.bug}`);
  const { line = mutation.line } = values;
  process.exitCode = (await hunt({ ...mutation, line }, Number(values.seeds))) ? 0 : 1;
}
