import { expect, it } from 'vitest';
import { readAckSubject } from './ack-subject.ts';

it.each([
  ['the first version', '$JS.ACK.MESH_WORK.worker_default_call.3.120.450.1700000000000000000.17'],
  [
    'domain and account',
    '$JS.ACK.hub.ACC0UNT.MESH_WORK.worker_default_call.3.120.450.1700000000000000000.17',
  ],
  [
    'a token behind',
    '$JS.ACK._.ACC0UNT.MESH_WORK.worker_default_call.3.120.450.1700000000000000000.17.r4nd0m',
  ],
])('reads deliveries and what is pending from a subject with %s', (_, subject) => {
  expect(readAckSubject(subject)).toEqual({ deliveries: 3, pending: 17 });
});

it('takes a message that came by another way for one that came for the first time, with nothing behind it', () => {
  expect(readAckSubject('')).toEqual({ deliveries: 1, pending: 0 });
});
