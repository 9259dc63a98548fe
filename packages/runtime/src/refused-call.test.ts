import { fail, fault, type Outcome, ok } from '@foldmesh/envelope';
import { expect, it } from 'vitest';
import { defectSource } from './answers.ts';
import { type Caller, refusedCall } from './refused-call.ts';
import { fakeHost } from './testing/fake-host.ts';
import { type FakePorts, fakePorts } from './testing/fake-ports.ts';
import { pool, toolCall } from './testing/messages.ts';

const why = fault('invalid', 'not JSON');
const { headers } = toolCall(1, 0);

const settle = ({ sender, idempotency_key: key, attempt }: Caller, outcome: Outcome) =>
  ({
    type: 'tool.settle',
    to: { service: 'worker', pool },
    key,
    attempt,
    payload: { outcome },
    reply_to: sender,
  }) as const;
const refused = (fake: FakePorts, given = headers, fault = why) =>
  refusedCall(fakeHost(fake), 'tool.call', settle)(given, fault);
const told = (fault = why) =>
  ok(settle({ sender: 'manager', idempotency_key: headers.key, attempt: 1 }, { kind: 'failed', fault }));

it('whoever the header names is told that the call failed', async () => {
  const fake = fakePorts();
  expect(await refused(fake)).toEqual(told());
  expect(fake.given('inbox.peek')).toEqual([[{ type: 'tool.call', key: headers.key }]]);
});

it('a sender older than the header cannot be told', async () => {
  expect(await refused(fakePorts(), { ...headers, from: undefined })).toEqual(ok(undefined));
});

it('M2: where another copy of the call is under way or done, that one speaks', async () => {
  const fake = fakePorts();
  fake.answer('inbox.peek', ok({ print: headers.print, label: 'test.tool' }));
  expect(await refused(fake)).toEqual(ok(undefined));
});

it('other content under the same key is no copy of it', async () => {
  const fake = fakePorts();
  fake.answer('inbox.peek', ok({ print: 'f'.repeat(64), label: 'another' }));
  expect(await refused(fake)).toEqual(told());
});

it('a record of the very try that broke its handler keeps nobody from telling of it', async () => {
  const fake = fakePorts();
  const broken = fault('invalid', 'a handler threw', { source: defectSource });
  fake.answer('inbox.peek', ok({ print: headers.print, label: 'test.tool' }));
  expect(await refused(fake, headers, broken)).toEqual(told(broken));
});

it('nothing is said while the inbox does not answer', async () => {
  const fake = fakePorts();
  const away = fail(fault('unavailable', 'away'));
  fake.answer('inbox.peek', away);
  expect(await refused(fake)).toEqual(away);
});
