// Runs a command in our place: it gets our terminal and our signals, and we end the way it ended.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

/** @type {readonly NodeJS.Signals[]} */
const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * @typedef {{ readonly cwd?: string, readonly env?: NodeJS.ProcessEnv, readonly kept?: boolean }} ChildSettings
 * @typedef {{ readonly code: number, readonly output: string, readonly failed?: string }} Ended
 */

/**
 * @param {readonly string[]} command
 * @param {ChildSettings} settings `kept` collects what the child prints instead of showing it
 * @returns {Promise<Ended>} 128 + n for a child that died of signal n; `failed` where it could not be started
 */
export const runChild = ([program = '', ...args], { cwd, env, kept = false } = {}) =>
  new Promise((done) => {
    const isOnTerminal = isInForeground();
    /** @type {NodeJS.Signals | undefined} */
    let told;
    const listeners = passedOn.map((signal) => {
      const pass = () => {
        told = signal;
        if (signal === 'SIGTERM' || !isOnTerminal) child.kill(signal);
      };
      process.on(signal, pass);
      return { signal, pass };
    });
    // Only now: a child that is quick to speak may bring the signal on before `spawn` returns.
    const child = spawn(program, args, { cwd, env, stdio: kept ? ['ignore', 'pipe', 'pipe'] : 'inherit' });
    /** @type {Buffer[]} */
    const chunks = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => chunks.push(chunk));
    /** @param {number} code @param {string} [failed] */
    const end = (code, failed) => {
      for (const { signal, pass } of listeners) process.off(signal, pass);
      done({
        code,
        output: Buffer.concat(chunks).toString('utf8'),
        ...(failed === undefined ? {} : { failed }),
      });
    };
    child.once('error', (error) => end(127, error.message));
    // Package managers make a failure of their own out of a signal; who waits for the whole of it wants to know better.
    child.once('close', (code, signal) => {
      const ended = signal ?? (kept ? told : undefined);
      end(ended === undefined ? (code ?? 1) : 128 + constants.signals[ended]);
    });
  });

/**
 * Ctrl-C on a terminal, and its end, reach every process of its foreground group, our child among them, and npm sends us
 * a second Ctrl-C. Passed on, the child would count two or three and take them for "stop at once".
 */
const isInForeground = () => {
  try {
    const [, , group, , , foreground] =
      readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    return group !== undefined && group === foreground;
  } catch {
    return process.stdin.isTTY === true;
  }
};
