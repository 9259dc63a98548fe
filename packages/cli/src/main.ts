#!/usr/bin/env node
import { systemEnvironment } from '@foldmesh/system';
import { runProgram } from './program.ts';

/** The process, as the command sees it. */
const { stdout, stderr } = process;

/** Where people look: a terminal is redrawn in place, a pipe gets lines. With `--json` standard output is the program's. */
const progressStream = process.argv.includes('--json') || !stdout.isTTY ? stderr : stdout;

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
    exit: (code) => process.exit(code),
  },
  process.argv.slice(2),
  process.version,
);
