import { fault } from '@foldmesh/envelope';
import { fakeHost, fakePorts, keyAt, pool, sealed } from '@foldmesh/runtime/internal';
import { expect, it } from 'vitest';
import { refusedTasks } from './settle-tasks.ts';

it('of an assignment that nobody could read the manager is told by the key in its header', () => {
  const fake = fakePorts();
  const { headers } = sealed(
    { type: 'job.halt', to: { service: 'manager', pool }, key: keyAt(2, '_job'), attempt: 2, payload: {} },
    1,
  );
  const refusal = refusedTasks(fakeHost(fake))(headers, fault('invalid', 'not JSON'));
  expect(refusal.ok && refusal.value).toMatchObject({
    type: 'task.settle',
    to: { service: 'manager' },
    key: keyAt(2, '_job'),
    payload: {
      results: [
        { key: keyAt(2, '_job'), attempt: 2, outcome: { kind: 'failed', fault: { detail: 'not JSON' } } },
      ],
    },
  });
});
