import { choices } from '@foldmesh/ports/internal';
import { expect, test } from 'vitest';
import { checkJob } from '../on-job-submit.ts';
import { randomSpec } from './random-plan.ts';
import { testCatalogue } from './test-catalogue.ts';

test('a random job is one that is accepted, and the emptiest tape gives the emptiest job', () => {
  for (let first = 0; first < 200; first++) {
    const tape = Array.from({ length: 300 }, (_, at) => (first * 7_919 + at * 104_729) % 10_007);
    expect(checkJob({ spec: randomSpec(choices(tape)) }, testCatalogue())).toHaveProperty('tasks');
  }
  expect(randomSpec(choices([]))).toMatchObject({ plan: { tasks: [] } });
});
