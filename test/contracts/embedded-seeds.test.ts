import { embedded, seededRandom, virtualClock } from '@foldmesh/embedded';
import type { Delivery, Ports } from '@foldmesh/ports';
import { expect, it } from 'vitest';
import { insist } from './rig.ts';
import { bytesOf, claimOf, doneWith, samples } from './samples.ts';

const faults = {
  repeat: 0.1,
  delay: 0.2,
  reorder: 0.2,
  loseAck: 0.1,
  losePublishReply: 0.1,
  forgetDelay: 0.2,
  conflictOwn: 0.1,
  loseAppendReply: 0.1,
  loseRecord: 0.05,
  loseClaimReply: 0.1,
  unavailable: 0.1,
  slow: 0.3,
};

it('the same seed gives the same history, event for event, and another seed another one', async () => {
  const first = await history(1);
  expect(first.length).toBeGreaterThan(100);
  expect(await history(1)).toEqual(first);
  expect(await history(2)).not.toEqual(first);
});

/** Three hosts handle what one publisher publishes, under all faults at once; every answer is written down. */
const history = async (seed: number): Promise<readonly string[]> => {
  const clock = virtualClock();
  const ports = { ...embedded({ clock, random: seededRandom(seed), faults }), clock };
  const log: string[] = [];
  const stop = new AbortController();
  const write = (line: string) => {
    log.push(`${clock.monotonic()} ${line}`);
  };
  const hosts = ['one', 'two', 'three'].map((name) => host(ports, name, stop.signal, write));
  await clock.run(
    (async () => {
      await publishAll(ports, 30);
      await clock.sleep(120_000);
      stop.abort();
      await Promise.all(hosts);
    })(),
  );
  return [...log, JSON.stringify(ports.injected())];
};

type World = Pick<Ports, 'bus' | 'journal' | 'inbox' | 'clock'>;

const make = samples('seeded');
const patient = ({ clock }: World) => ({ advance: (ms: number) => clock.sleep(ms) });

const publishAll = async (world: World, count: number): Promise<void> => {
  for (let step = 0; step < count; step++)
    await insist(patient(world), () => world.bus.publish(make.toolCall(step)));
};

const host = async (
  world: World,
  name: string,
  signal: AbortSignal,
  write: (line: string) => void,
): Promise<void> => {
  await using subscription = await insist(patient(world), () => world.bus.subscribe(make.gateway));
  while (!signal.aborted)
    for (const delivery of await subscription.pull(2, signal)) await handle(world, name, delivery, write);
};

const handle = async (
  world: World,
  name: string,
  delivery: Delivery,
  write: (line: string) => void,
): Promise<void> => {
  const step = Number(delivery.subject.split('.').at(-3));
  const claim = await world.inbox.claim(claimOf(make.record(step), name, 3_000));
  write(`${name} claims ${step}: ${claim.ok ? claim.value.kind : claim.fault.kind}`);
  if (claim.ok && claim.value.kind === 'won') {
    await world.clock.sleep(500);
    const held = { ...make.record(step), token: claim.value.token };
    const grip = await world.inbox.complete(held, doneWith(name), world.clock.now() + 60_000);
    const entity = make.entity({ task: `task${step}`, round: 1 });
    const append = { entity, entry: bytesOf(name), expected: 0, id: make.appendId(`${step}`) };
    const appended = await world.journal.append(append);
    write(`${name} ends ${step}: ${JSON.stringify([grip, appended])}`);
    await delivery.ack();
  } else await delivery.nak(1_000);
};
