import { decodeUtf8 } from '@foldmesh/envelope';
import type { Delivery } from '@foldmesh/ports';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { takenWithin } from './bus-hands.ts';
import { type Bench, insist, promise, property, type Rig } from './rig.ts';

type BusBench = Bench<'bus'>;

/** What a holder does with what it got. */
type Deed = 'ack' | 'drop' | 'nak' | 'nak later' | 'work on and drop';

const deeds: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc.constantFrom('ack', 'drop', 'nak', 'nak later', 'work on and drop'),
  { minLength: 5, maxLength: 40 },
);

export const handlingAll = (rig: Rig<'bus'>): void => {
  property(rig, 'what was answered stored and never acked is never lost', deeds, async (bench, history) => {
    const acked = new Set<string>();
    const stored = await publishAll(bench, 8);
    for (const deed of history) {
      const [delivery] = await takenWithin(bench, bench.make.gateway, 1, bench.ackWaitMs / 4);
      if (delivery) await deal(bench, delivery, deed, acked);
    }
    const missing = new Set([...stored].filter((subject) => !acked.has(subject)));
    await drain(
      bench,
      async () => missing.size === 0,
      (subject) => missing.delete(subject),
    );
    expect([...missing]).toEqual([]);
  });

  promise(rig, 'a message that comes many times is whole each time', async (bench) => {
    await publishAll(bench, 1);
    const bodies = new Set<string>();
    for (let round = 0; round < 20; round++) {
      const [delivery] = await takenWithin(
        bench,
        bench.make.gateway,
        1,
        4 * bench.ackWaitMs + bench.patienceMs,
      );
      const text = decodeUtf8(delivery?.body ?? new Uint8Array());
      bodies.add(text.ok ? text.value : 'not UTF-8');
      delivery?.body.fill(0);
    }
    expect([...bodies]).toEqual([expect.stringContaining('step 1')]);
  });

  promise(rig, 'whatever is acked until it stays away is gone in the end', async (bench) => {
    await publishAll(bench, 30);
    const standing = () => insist(bench, () => bench.ports.bus.standing(bench.make.gateway));
    await drain(bench, async () => {
      const { waiting, in_hand } = await standing();
      return waiting + in_hand === 0;
    });
    expect(await standing()).toMatchObject({ waiting: 0, in_hand: 0 });
  });

  promise(rig, 'a purge that was answered leaves no call of the job', async (bench) => {
    const { bus } = bench.ports;
    await publishAll(bench, 10);
    await takenWithin(bench, bench.make.gateway, 5, bench.slackMs);
    await insist(bench, () => bus.purge(bench.make.tenant, bench.make.job));
    expect(await takenWithin(bench, bench.make.gateway, 1, 2 * bench.ackWaitMs)).toEqual([]);
  });
};

/** Publishes until each is answered stored, and says which subjects those are. */
const publishAll = async (bench: BusBench, count: number): Promise<ReadonlySet<string>> => {
  const messages = Array.from({ length: count }, (_, at) => bench.make.toolCall(at + 1));
  for (const message of messages) await insist(bench, () => bench.ports.bus.publish(message));
  return new Set(messages.map(({ subject }) => subject));
};

const deal = async (bench: BusBench, delivery: Delivery, deed: Deed, acked: Set<string>): Promise<void> => {
  switch (deed) {
    case 'ack':
      acked.add(delivery.subject);
      await delivery.ack();
      return;
    case 'nak':
      await delivery.nak(0);
      return;
    case 'nak later':
      await delivery.nak(bench.ackWaitMs / 2);
      return;
    case 'work on and drop':
      await delivery.working();
      return;
    case 'drop':
      return;
  }
};

/** Acks all that comes until it is over, or nothing has come for longer than anything may take. */
const drain = async (
  bench: BusBench,
  isOver: () => Promise<boolean>,
  seen: (subject: string) => void = () => {},
): Promise<void> => {
  while (!(await isOver())) {
    const taken = await takenWithin(bench, bench.make.gateway, 10, 3 * bench.ackWaitMs + bench.patienceMs);
    if (taken.length === 0) return;
    for (const delivery of taken) {
      seen(delivery.subject);
      await delivery.ack();
    }
  }
};
