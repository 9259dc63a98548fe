import type { Role } from '../keys/api-key.ts';

/** Whoever keeps a process running has no key, and learns nothing of any tenant. */
const open: readonly string[] = ['/livez', '/readyz'];

const looks: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** What is sent with a body and changes nothing. */
const asks: readonly string[] = ['/v1/plan'];

/** What whoever submits jobs may do to them. */
const submits: readonly RegExp[] = [
  /^\/v1\/jobs$/,
  /^\/v1\/jobs\/[^/]+\/cancel$/,
  /^\/v1\/jobs\/[^/]+\/inputs\/[^/]+$/,
];

/**
 * The role that a request needs, or `nobody` where it needs no key. What changes something and is not named here is an
 * operator's: a route that is new is closed until somebody opens it.
 */
export const roleNeeded = (method: string, path: string): Role | 'nobody' => {
  if (open.includes(path)) return 'nobody';
  if (looks.includes(method) || (method === 'POST' && asks.includes(path))) return 'read';
  return method === 'POST' && submits.some((pattern) => pattern.test(path)) ? 'submit' : 'operate';
};
