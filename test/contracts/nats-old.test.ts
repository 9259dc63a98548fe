import { findBinary, natsServer } from '@foldmesh/testbed';
import { expect, it } from 'vitest';
import { natsContract } from './nats-contract.ts';
import { natsRig, openOn } from './nats-rig.ts';
import { got } from './rig.ts';

const floor = await findBinary('nats-floor').catch(() => undefined);
const hasOld = floor !== undefined;
const binary = floor?.path ?? '';

// It is fetched from Debian's mirrors; elsewhere it is there where somebody has put it.
it.skipIf(!hasOld)('the oldest line that we promise to run on is 2.10 (where it is there)', async () => {
  await using server = await natsServer({ binary });
  await using ports = await openOn(server.url);
  expect(got(await ports.topology())).toMatchObject({
    version: expect.stringMatching(/^2\.10\./),
    differences: [],
  });
});

if (hasOld) natsContract(natsRig('NATS 2.10', () => natsServer({ binary })));
