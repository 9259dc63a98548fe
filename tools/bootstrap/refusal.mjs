import { join } from 'node:path';

/** Where we cannot help: one sentence that says what is wrong and what to do. */
export class Refusal extends Error {}

/** A signal ended the work: there is nothing to say, only an exit code to return. */
export class Stopped extends Error {
  /** @param {number} code */
  constructor(code) {
    super(`stopped with ${code}`);
    this.code = code;
  }
}

/** @param {string} sentence */
export const say = (sentence) => process.stderr.write(`foldmesh: ${sentence}\n`);

/**
 * The sentence for whatever was thrown; a stack trace helps nobody who only wants to start.
 * @param {unknown} error
 * @param {string} root
 */
export const sentenceOf = (error, root) => {
  if (error instanceof Refusal) return error.message;
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    const path = pathOf(error) ?? root;
    const tools = join(root, '.tools');
    return unwritable(path.startsWith(tools) ? tools : path);
  }
  if (code === 'ENOSPC') return `the disk that holds ${root} is full; make room and run this again.`;
  return `the bootstrap failed: ${error instanceof Error ? error.message : String(error)}`;
};

/** @param {string} path */
export const unwritable = (path) =>
  `${path} cannot be written by this user; run this as its owner, or in a copy of the checkout that is your own.`;

/**
 * @param {unknown} error
 * @returns {string | undefined}
 */
export const codeOf = (error) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/**
 * @param {unknown} error
 * @returns {string | undefined}
 */
const pathOf = (error) =>
  error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined;
