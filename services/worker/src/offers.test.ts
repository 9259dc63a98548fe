import { Digest, sha256Hex } from '@foldmesh/envelope';
import { Agent } from '@foldmesh/run';
import { pool } from '@foldmesh/runtime/internal';
import { defineSkill, z } from '@foldmesh/sdk';
import { expect, it } from 'vitest';
import { targetsOf, workerOffers } from './offers.ts';

const sum = defineSkill({
  name: 'sum',
  input: z.unknown(),
  output: z.object({ total: z.number() }),
  run: async () => ({ total: 1 }),
});
const any = defineSkill({ name: 'any', input: z.unknown(), run: async () => 1 });
const clerk = Agent.parse({ name: 'clerk', instructions: 'Find it.', model: 'scripted/clerk' });
const reader = Agent.parse({ ...clerk, name: 'reader', tools: ['files.read', 'memory.query'] });
const digest = Digest.parse(sha256Hex('sum'));

it('a worker offers its skills, agents and pipelines by name and digest, with what else is to be known of them', () => {
  const offers = workerOffers(
    [
      { definition: sum, digest },
      { definition: any, digest },
    ],
    new Map([['p', { steps: [] }]]),
    [
      { definition: clerk, digest },
      { definition: reader, digest },
    ],
    pool,
    3,
  );
  expect(offers).toEqual({
    service: 'worker',
    pool: 'default',
    slots: 3,
    offers: [
      { kind: 'skill', name: 'sum', digest, output_keys: ['total'] },
      { kind: 'skill', name: 'any', digest },
      { kind: 'agent', name: 'clerk', digest },
      { kind: 'agent', name: 'reader', digest, needs_tools: ['files.read'] },
      { kind: 'pipeline', name: 'p', digest: sha256Hex('{"steps":[]}') },
    ],
  });
});

it('a pipeline here can refer to the skills there are, and to any tool: the gateway answers for those', () => {
  const targets = targetsOf(new Map([['sum', sum]]));
  expect([targets.skill('sum'), targets.skill('none'), targets.tool('any.name')]).toEqual([
    { outputKeys: ['total'] },
    undefined,
    {},
  ]);
});
