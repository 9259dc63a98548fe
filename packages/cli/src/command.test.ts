import { type FaultKind, fault } from '@foldmesh/envelope';
import { expect, it } from 'vitest';
import { exitOfFault } from './command.ts';

it.for([
  ['unavailable', 3],
  ['throttled', 3],
  ['unanswered', 3],
  ['invalid', 2],
  ['overflow', 2],
  ['refused', 2],
] as const satisfies readonly (readonly [FaultKind, number])[])(
  'ends by a fault of kind %s with %s: later it may go, or it is what was written',
  ([kind, code]) => {
    expect(exitOfFault(fault(kind, 'so'))).toBe(code);
    expect(exitOfFault(fault(kind, 'so', { retry_after_ms: 1 }))).toBe(3);
  },
);
