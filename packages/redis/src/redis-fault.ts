import { type Fault, fault } from '@foldmesh/envelope';
import { redisLimits } from './settings.ts';

/** What the adapter signs its faults with. */
export const source = 'redis';

export const unavailable = (detail: string): Fault =>
  fault('unavailable', detail, { source, retry_after_ms: redisLimits.retryMs });

/** The codes with which a server refuses a command before any of it is done, and which end without us. */
const refusals: ReadonlySet<string> = new Set([
  'READONLY', // It has become a replica.
  'OOM', // Memory is full, and nothing may be evicted.
  'MISCONF', // It cannot write its snapshot, and so takes no writes.
  'NOREPLICAS',
  'LOADING',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'MOVED',
  'ASK',
  'BUSY', // A script that does not end; none of ours loops.
  'UNKILLABLE',
  'NOAUTH',
  'WRONGPASS',
  'NOPERM',
  'NOPROTO',
]);

/** What the client says of a command that it has not sent. */
const unsent = /isn't writeable/;

/** What a script is told whose user may not write; the code is that of any error. */
const forbidden = /user executing the script can't|ACL failure in script/;

/**
 * An error of the client or the server as a fault. What a server has refused took nothing on; what was sent and got no
 * reply may have been carried out; a record that cannot be read is nobody's to repair, and is not overwritten.
 */
export const faultOfError = (error: unknown): Fault => {
  if (!(error instanceof Error) || isDefect(error)) throw error;
  const { message } = error;
  if (unsent.test(message)) return unavailable('redis is not connected');
  if (error.name !== 'ReplyError') return unanswered(message);
  const code = /^[A-Z]+/.exec(message)?.[0] ?? '';
  if (refusals.has(code) || forbidden.test(message))
    return unavailable(`redis refused: ${sayingOf(message)}`);
  return fault('invalid', `redis answered: ${sayingOf(message)}`, { source });
};

const unanswered = (message: string): Fault =>
  fault('unanswered', `redis did not answer: ${message}`, { source, retry_after_ms: redisLimits.retryMs });

const isDefect = (error: Error): boolean =>
  error instanceof TypeError || error instanceof RangeError || error.name === 'Defect';

/** Without where in which script, which says nothing to whoever reads it. */
const sayingOf = (message: string): string =>
  message.replace(/,? ?script: [0-9a-f]+, on @user_script.*$/s, '').trim();
