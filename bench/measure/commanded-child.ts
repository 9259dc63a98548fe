import { createInterface } from 'node:readline';
import { childProcess } from '@foldmesh/testbed';

/** A process of the benchmark that does one thing after the other as it is told, and answers with what came of it. */
export interface CommandedChild extends AsyncDisposable {
  readonly pid: number;
  ask(command: string, given?: unknown, withinMs?: number): Promise<unknown>;
}

const startMs = 60_000;
const answerMs = 300_000;

/** Node as the services are run, with what else it is to be told. */
export const nodeCommand = (file: string, nodeArguments: readonly string[] = []): readonly string[] => [
  process.execPath,
  ...['-C', '@foldmesh/source', '--disable-warning=ExperimentalWarning'],
  ...nodeArguments,
  file,
];

/** Starts a file that calls `obey`; it gets `given` as its one argument. */
export const commandedChild = async (
  name: string,
  file: string,
  given: unknown,
  nodeArguments: readonly string[] = [],
): Promise<CommandedChild> => {
  const child = await childProcess([...nodeCommand(file, nodeArguments), JSON.stringify(given)], { name });
  let asked = 0;
  const hear = async (id: number, withinMs: number): Promise<unknown> => {
    const line = await child.says(`{"answers":${id},`, withinMs);
    const { value, error } = JSON.parse(line) as { readonly value?: unknown; readonly error?: string }; // as `obey` writes it
    if (error !== undefined) throw new Error(`${name}: ${error}`);
    return value;
  };
  try {
    await hear(0, startMs);
  } catch (error) {
    await child[Symbol.asyncDispose]();
    throw error;
  }
  return {
    pid: child.pid,
    ask: (command, value = null, withinMs = answerMs) => {
      asked += 1;
      child.tell(`${JSON.stringify({ id: asked, command, given: value })}\n`);
      return hear(asked, withinMs);
    },
    [Symbol.asyncDispose]: async () => {
      // Told to end, it can still write the profile that it may have been started for.
      child.tell('\n');
      await Promise.race([child.ended, new Promise((resolve) => setTimeout(resolve, 5_000))]);
      await child[Symbol.asyncDispose]();
    },
  };
};

export type Commands = Readonly<Record<string, (given: never) => Promise<unknown>>>;

/** In the child: does what it is told, one after the other, until an empty line. */
export const obey = async (commands: Commands): Promise<void> => {
  const answer = (answers: number, more: object): void =>
    void process.stdout.write(`${JSON.stringify({ answers, ...more })}\n`);
  answer(0, { value: null });
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === '') break;
    const { id, command, given } = JSON.parse(line) as { id: number; command: string; given: never }; // as `ask` writes it
    try {
      answer(id, { value: (await commands[command]?.(given)) ?? null });
    } catch (error) {
      answer(id, { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  }
  // An open input would keep the process.
  process.stdin.destroy();
};
