#!/usr/bin/env node
import { createInterface } from 'node:readline/promises';
import { guardProcess } from './process-guard.ts';
import { runProgram } from './program.ts';

/** The process, as the command sees it. */
const { stdin, stdout, stderr } = process;

/** Where people look: a terminal is redrawn in place, a pipe gets lines. With `--json` standard output is the program's. */
const progressStream = process.argv.includes('--json') || !stdout.isTTY ? stderr : stdout;

const askLine = async (signal: AbortSignal): Promise<string | undefined> => {
  if (!stdin.isTTY || signal.aborted) return undefined;
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return await lines.question('> ', { signal });
  } catch {
    return undefined; // only an abort ends a question without an answer
  } finally {
    lines.close();
  }
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
      // A terminal that does not know its size says 0.
      get columns() {
        return progressStream.columns || 80;
      },
      get rows() {
        return progressStream.rows || 24;
      },
      write: (text) => void progressStream.write(text),
    },
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    isOutTerminal: stdout.isTTY === true,
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
