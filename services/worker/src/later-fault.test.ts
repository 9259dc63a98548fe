import { fault } from '@foldmesh/envelope';
import { expect, it } from 'vitest';
import { elsewhereMs, laterFault } from './later-fault.ts';

it('a store that is away sends the whole message back; what it has answered stays its answer', () => {
  const away = fault('unanswered', 'no word', { source: 'nats', retry_after_ms: 100 });
  expect(laterFault(away)).toEqual(
    fault('unavailable', 'no word', { source: 'nats', retry_after_ms: elsewhereMs }),
  );
  const gone = fault('invalid', 'no such blob');
  expect(laterFault(gone)).toBe(gone);
  // Above what a host sits out itself.
  expect(elsewhereMs).toBeGreaterThan(2_000);
});
