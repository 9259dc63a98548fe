import { fail, fault, ok } from '@foldmesh/envelope';
import { expect, it } from 'vitest';
import { callOf } from '../testing/fake-host.ts';
import { fakePorts } from '../testing/fake-ports.ts';
import { keyAt, trace } from '../testing/messages.ts';
import { logCall } from './log.ts';

it('says what was called, whose it was and how long it took; the fault if there was one, never the content', async () => {
  const { ports, clock, lines } = fakePorts();
  const answers = [ok('secret'), fail(fault('throttled', 'too many'))];
  const handler = logCall<string, string>(
    ports.log,
    clock,
    (request) => `call ${request.length}`,
  )(async () => {
    await clock.sleep(1_500);
    return answers.shift() ?? ok('');
  });
  for (let n = 0; n < 2; n++) {
    const called = handler('secret question', callOf({ attempt: 2 }));
    await clock.pass(2_000);
    await called;
  }
  const about = { key: keyAt(1), attempt: 2, trace_id: trace, ms: 1_500 };
  expect(lines).toEqual([
    `debug call 15 ${JSON.stringify(about)}`,
    `info call 15 ${JSON.stringify({ ...about, fault: 'throttled', detail: 'too many' })}`,
  ]);
});
