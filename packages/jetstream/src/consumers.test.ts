import { PoolName, type Queue } from '@foldmesh/envelope';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { consumerOf } from './consumers.ts';

const names = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,8}$/).map((name) => PoolName.parse(name));
/** Those that would be taken for parts of another name, were it not for its order. */
const tricky = fc
  .constantFrom('call', 'a_call', 'a_decide', 'worker_a', 'memory_a_call', 'gateway', '0')
  .map((name) => PoolName.parse(name));

const queues: fc.Arbitrary<Queue> = fc.record({
  service: fc.constantFrom('manager', 'worker', 'tool-gateway', 'memory'),
  pool: fc.oneof(names, tricky),
  lane: fc.constantFrom('submit', 'decide', 'call'),
});

it('no two queues share a consumer', () => {
  void fc.assert(
    fc.property(queues, queues, (one, other) => {
      const [first, second] = [consumerOf(one), consumerOf(other)];
      const isSame = one.service === other.service && one.pool === other.pool && one.lane === other.lane;
      expect(first.name === second.name).toBe(isSame);
    }),
  );
});

it('a name is one that the server takes', () => {
  void fc.assert(
    fc.property(queues, (queue) => {
      const { name } = consumerOf(queue);
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,200}$/);
    }),
  );
});
