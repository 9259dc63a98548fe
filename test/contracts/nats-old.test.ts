import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemEnvironment } from '@foldmesh/system';
import { natsServer } from '@foldmesh/testbed';
import { expect, it } from 'vitest';
import { natsContract } from './nats-contract.ts';
import { natsRig, openOn } from './nats-rig.ts';
import { got } from './rig.ts';

/** Named by a variable, or where the bootstrap puts it. */
const binary =
  systemEnvironment()['NATS_SERVER_BIN_OLD'] ??
  resolve(import.meta.dirname, '../../.tools/servers/bin/nats-server-2.10');

const hasOld = existsSync(binary);

// Only `check:all` fetches it; what every check runs on is newer.
it.skipIf(!hasOld)('the oldest line that we promise to run on is 2.10 (where it is there)', async () => {
  await using server = await natsServer({ binary });
  await using ports = await openOn(server.url);
  expect(got(await ports.topology())).toMatchObject({
    version: expect.stringMatching(/^2\.10\./),
    differences: [],
  });
});

if (hasOld) natsContract(natsRig('NATS 2.10', () => natsServer({ binary })));
