import { limits } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { handBack, handBackUntilDeadline } from './hand-back.ts';
import { fakePorts } from './testing/fake-ports.ts';
import { deliveryOf, jobCancel, toolCall } from './testing/messages.ts';

const far = 24 * 60 * 60_000;

/** What is said of a message of this age, with this draw of chance. */
const handedBack = async (age: number, draw: number, delayMs?: number, deadlineIn = far): Promise<number> => {
  const { ports, clock } = fakePorts();
  const now = clock.now();
  const delivery = deliveryOf(toolCall(1, now, { since: now - age, deadline: now + deadlineIn }), clock);
  await handBack({ clock, random: { ...ports.random, float: () => draw } }, delivery, delayMs);
  return Number(delivery.said[0]?.replace('nak ', ''));
};

describe('a hand-back', () => {
  it('waits as long as the message is old: 2, 4, 8 … 60 seconds', async () => {
    const ages = [0, 2_000, 4_000, 8_000, 30_000, 60_000, 600_000];
    expect(await Promise.all(ages.map((age) => handedBack(age, 0.5)))).toEqual([
      2_000, 2_000, 4_000, 8_000, 30_000, 60_000, 60_000,
    ]);
  });

  it('is spread by a quarter to both sides, in whole milliseconds', async () => {
    expect([await handedBack(4_000, 0), await handedBack(4_000, 0.999_999)]).toEqual([3_000, 5_000]);
    expect(Number.isInteger(await handedBack(3_333, 0.123))).toBe(true);
  });

  it('waits as long as it is told, also not at all', async () => {
    expect([await handedBack(60_000, 0.5, 0), await handedBack(0, 0.5, 1_234.6)]).toEqual([0, 1_235]);
  });

  it('ends at the deadline; past it there is nothing to wait for but its turn', async () => {
    expect(await handedBack(60_000, 0.5, undefined, 1_500)).toBe(1_500);
    expect(await handedBack(0, 0.5, 10_000, 1_500)).toBe(1_500);
    expect(await handedBack(0, 0.5, undefined, -1)).toBe(2_000);
  });

  it('takes a message without a time for a new one', async () => {
    const { ports, clock } = fakePorts();
    const delivery = deliveryOf(toolCall(1, clock.now()), clock, { headers: { 'Mesh-Since': 'yesterday' } });
    await handBack(ports, delivery);
    expect(delivery.said).toEqual(['nak 2000']);
  });
});

describe('what nobody here can deal with', () => {
  it('goes back until its deadline, and is given up there', async () => {
    const { ports, clock } = fakePorts();
    let gaveUp = 0;
    const giveUp = async (): Promise<void> => void gaveUp++;
    const delivery = deliveryOf(toolCall(1, clock.now(), { deadline: clock.now() + 5_000 }), clock);
    await handBackUntilDeadline(ports, delivery, giveUp);
    await clock.pass(5_000);
    expect([delivery.said, gaveUp]).toEqual([['nak 2000'], 0]);
    await handBackUntilDeadline(ports, delivery, giveUp);
    expect([delivery.said.length, gaveUp]).toEqual([1, 1]);
  });

  it('has as long as a request where it has no deadline', async () => {
    const { ports, clock } = fakePorts();
    let gaveUp = 0;
    const delivery = deliveryOf(jobCancel(1, clock.now(), 'x'), clock);
    await clock.pass(limits.requestMs - 1);
    await handBackUntilDeadline(ports, delivery, async () => void gaveUp++);
    expect(gaveUp).toBe(0);
    await clock.pass(1);
    await handBackUntilDeadline(ports, delivery, async () => void gaveUp++);
    expect(gaveUp).toBe(1);
  });
});
