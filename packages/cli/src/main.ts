#!/usr/bin/env node
import { createInterface } from 'node:readline/promises';
import { shownOn } from './printable.ts';
import { guardProcess } from './process-guard.ts';
import { runProgram } from './program.ts';

/** The process, as the command sees it. */
const { stdin, stdout, stderr } = process;
const [columnsAssumed, rowsAssumed] = [80, 24];

/** Where people look: a terminal is redrawn in place, a pipe gets lines. With `--json` standard output is the program's. */
const progressStream = process.argv.includes('--json') || !stdout.isTTY ? stderr : stdout;

// A terminal that does not know its size says 0, and nothing would fit into it.
for (const stream of [stdout, stderr]) {
  if (stream.columns === 0) stream.columns = columnsAssumed;
  if (stream.rows === 0) stream.rows = rowsAssumed;
}

/** A pipe gets what was said to the byte; of what people look at nothing may steer their terminal. */
const writeTo =
  (stream: NodeJS.WriteStream) =>
  (text: string): void =>
    void stream.write(shownOn(stream, text));

const askLine = async (signal: AbortSignal): Promise<string | undefined> => {
  if (!stdin.isTTY || signal.aborted) return undefined;
  const lines = createInterface({ input: stdin, output: stderr });
  // The terminal gives the key to whoever reads lines, and no signal to the process: that is made up for here.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return await lines.question('> ', { signal });
  } catch {
    return undefined; // only an abort ends a question without an answer
  } finally {
    lines.close();
  }
};

const readInput = async (bytesMax: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const given: AsyncIterable<Uint8Array> = stdin; // no encoding is set
  for await (const chunk of given) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) break;
  }
  return Buffer.concat(chunks);
};

const guard = guardProcess(process);

process.exitCode = await runProgram(
  {
    cwd: process.cwd(),
    // biome-ignore lint/style/noProcessEnv: the package that reads it takes longer to load than most commands take.
    // biome-ignore lint/nursery/noJsRestrictedProperties: the same.
    environment: process.env,
    screen: {
      isTerminal: progressStream.isTTY === true,
      hasColours: progressStream.isTTY === true && progressStream.hasColors(),
      get columns() {
        return progressStream.columns || columnsAssumed;
      },
      get rows() {
        return progressStream.rows || rowsAssumed;
      },
      write: (text) => void progressStream.write(text),
    },
    out: writeTo(stdout),
    err: writeTo(stderr),
    isOutTerminal: stdout.isTTY === true,
    input: readInput,
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    outGone: guard.outGone,
    ask: askLine,
    exit: (code) => {
      guard.conclude();
      process.exit(code);
    },
  },
  process.argv.slice(2),
);
guard.conclude();
