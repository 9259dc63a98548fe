import { type Fault, fault } from '@foldmesh/envelope';
import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { retryAfterMs } from './settings.ts';

/** Numbers of the server's answers, of nats-server 2.10 to 2.15; its texts are for people. */
export const codes = {
  consumerMissing: 10014,
  streamMissing: 10059,
  messageMissing: 10037,
  messageTooLarge: 10054,
  wrongLastSequence: 10071,
  wrongLastSequenceUnknown: 10164,
  full: 10077,
  storageFull: 10047,
  busyStoring: 10158,
  tooFast: 10167,
  consumerExists: 10148,
} as const;

/** What the server answered, or undefined where it did not. */
export const codeOf = (error: unknown): number | undefined =>
  error instanceof JetStreamApiError ? error.code : undefined;

/** What a request to a server came to when it came to nothing. A defect of ours stays one. */
export const faultFrom = (error: unknown, source: string): Fault => {
  const known = codeOf(error);
  if (known !== undefined) return answeredFault(known, String((error as Error).message), source); // a JetStreamApiError
  const again = { source, retry_after_ms: retryAfterMs };
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (error instanceof errors.TimeoutError || cause instanceof errors.TimeoutError)
    return fault('unanswered', `${source} did not answer`, again);
  if (cause instanceof errors.AuthorizationError || cause instanceof errors.UserAuthenticationExpiredError)
    return fault('refused', `${source}: the server does not accept our user, password or token`, { source });
  if (error instanceof errors.InvalidArgumentError && error.message.includes('max_payload'))
    return fault('overflow', 'the message is larger than the server takes', { source });
  if (error instanceof errors.PermissionViolationError)
    return fault('refused', `${source}: the server does not allow ${error.operation} on ${error.subject}`, {
      source,
    });
  // No responders, a connection that is closed or drains: nothing was taken on.
  return fault('unavailable', `${source} is not reachable (${textOf(error)})`, again);
};

const answeredFault = (code: number, text: string, source: string): Fault => {
  const detail = `${source}: ${text} (${code})`;
  const again = { source, retry_after_ms: retryAfterMs };
  switch (code) {
    case codes.messageTooLarge:
      return fault('overflow', detail, { source });
    case codes.full:
    case codes.tooFast:
      return fault('throttled', detail, { source, retry_after_ms: 1_000 });
    default:
      // Storage full, a leader that is being elected, a stream that is gone: whoever mends it, nothing has to be started anew.
      return fault('unavailable', detail, again);
  }
};

const textOf = (error: unknown): string =>
  error instanceof Error ? error.message || error.name : String(error);
