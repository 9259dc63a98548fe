import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers';
import { expect, it } from 'vitest';
import { natsContract } from './nats-contract.ts';
import { natsRig, openOn, type Served } from './nats-rig.ts';
import { got } from './rig.ts';

const image = 'nats:2.12-alpine';
const port = 4222;

/** As it comes out of its image, with a configuration of nobody's. */
const containedNats = async (): Promise<Served> => {
  // Its watchdog is another image, and no old Docker runs it; this container is stopped by us.
  process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
  const container = await new GenericContainer(image)
    .withCommand(['nats-server', '--jetstream', '--store_dir', '/tmp/jetstream', '--port', String(port)])
    .withExposedPorts(port)
    .withWaitStrategy(Wait.forLogMessage('Server is ready'))
    .start();
  return {
    url: `nats://${container.getHost()}:${container.getMappedPort(port)}`,
    [Symbol.asyncDispose]: async () => {
      await container.stop();
    },
  };
};

const hasDocker = await getContainerRuntimeClient().then(
  () => true,
  () => false,
);

// Where no Docker answers there is nothing to run a container on; the same suites run on the server's own program.
it.skipIf(!hasDocker)(`${image} comes up (where Docker answers)`, { timeout: 120_000 }, async () => {
  await using served = await containedNats();
  await using ports = await openOn(served.url);
  expect(got(await ports.topology())).toMatchObject({
    version: expect.stringMatching(/^2\.12\./),
    differences: [],
  });
});

if (hasDocker) natsContract(natsRig(`NATS from ${image}`, containedNats));
