import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { describe, expect, it } from 'vitest';
import { codeOf, codes, faultFrom } from './faults.ts';

const answered = (code: number): JetStreamApiError =>
  new JetStreamApiError({ code: 500, err_code: code, description: 'what the server says' });

const again = expect.any(Number);

describe('an answer of the server', () => {
  it.each([
    ['a message that is too large', codes.messageTooLarge, 'overflow', undefined],
    ['a stream that is full', codes.full, 'throttled', again],
    ['more than it can take in', codes.tooFast, 'throttled', again],
    ['storage that is full', codes.storageFull, 'unavailable', again],
    ['the same message still being stored', codes.busyStoring, 'unavailable', again],
    ['a stream that is missing', codes.streamMissing, 'unavailable', again],
    ['what nobody has seen yet', 19_999, 'unavailable', again],
  ])('about %s', (_, code, kind, retryAfter) => {
    const { kind: is, detail, source, retry_after_ms } = faultFrom(answered(code), 'nats-bus');
    expect({ is, source, retry_after_ms }).toEqual({
      is: kind,
      source: 'nats-bus',
      retry_after_ms: retryAfter,
    });
    expect(detail).toBe(`nats-bus: what the server says (${code})`);
  });

  it('is told by its number, and what is none has no number', () => {
    expect(codeOf(answered(codes.full))).toBe(codes.full);
    expect(codeOf(new Error('maximum messages exceeded'))).toBeUndefined();
    expect(codeOf(undefined)).toBeUndefined();
  });
});

describe('no answer', () => {
  it.each([
    ['in time', new errors.TimeoutError()],
    ['in time, said by a request', new errors.RequestError('timeout', { cause: new errors.TimeoutError() })],
  ])('%s may mean that it happened', (_, error) => {
    expect(faultFrom(error, 'nats-bus')).toMatchObject({ kind: 'unanswered', retry_after_ms: again });
  });

  it.each([
    ['nobody who would', new errors.NoRespondersError('mesh.v1')],
    ['no connection', new errors.ClosedConnectionError()],
    ['a connection that ends', new errors.DrainingConnectionError()],
    ['what is no exception', 'a string'],
    ['an exception without words', new Error()],
  ])('for want of %s means that nothing was taken on', (_, error) => {
    const { kind, detail, retry_after_ms } = faultFrom(error, 'nats-bus');
    expect({ kind, retry_after_ms }).toEqual({ kind: 'unavailable', retry_after_ms: again });
    expect(detail).toMatch(/^nats-bus is not reachable \(.+\)$/);
  });
});

it('whoever is not let in need not ask again', () => {
  const fault = faultFrom(new errors.AuthorizationError('Authorization Violation'), 'nats');
  expect(fault.kind).toBe('refused');
  expect(fault.retry_after_ms).toBeUndefined();
});

it('what is not allowed names the subject', () => {
  const error = new errors.PermissionViolationError('Permissions Violation', 'publish', 'mesh.v1.x');
  expect(faultFrom(error, 'nats-bus')).toMatchObject({
    kind: 'refused',
    detail: 'nats-bus: the server does not allow publish on mesh.v1.x',
  });
});
