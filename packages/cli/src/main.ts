#!/usr/bin/env node
import { createInterface } from 'node:readline/promises';
import { systemEnvironment } from '@foldmesh/system';
import { guardProcess } from './process-guard.ts';
import { runProgram } from './program.ts';

/** The process, as the command sees it. */
const { stdout, stderr } = process;

/** Where people look: a terminal is redrawn in place, a pipe gets lines. With `--json` standard output is the program's. */
const progressStream = process.argv.includes('--json') || !stdout.isTTY ? stderr : stdout;

const askLine = async (signal: AbortSignal): Promise<string | undefined> => {
  if (!process.stdin.isTTY || signal.aborted) return undefined;
  const lines = createInterface({ input: process.stdin, output: stderr });
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
    environment: systemEnvironment(),
    screen: {
      isTerminal: progressStream.isTTY === true,
      columns: progressStream.columns ?? 80,
      rows: progressStream.rows ?? 24,
      write: (text) => void progressStream.write(text),
    },
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    ask: askLine,
    exit: (code) => {
      guard.conclude();
      process.exit(code);
    },
  },
  process.argv.slice(2),
  process.version,
);
guard.conclude();
