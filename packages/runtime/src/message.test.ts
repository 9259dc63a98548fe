import {
  encodeJson,
  fail,
  fault,
  limits,
  type RawHeaders,
  sha256Hex,
  writeHeaders,
} from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { openDelivery, park, parkAndAck } from './message.ts';
import { send } from './send.ts';
import { runtimeLimits } from './settings.ts';
import { type FakePorts, fakePorts } from './testing/fake-ports.ts';
import { deliveryOf, job, keyAt, pool, tenant, toolCall, trace } from './testing/messages.ts';

const away = fail(fault('unavailable', 'away'));

/** A message whose payload is too large to travel, sent and delivered. */
const claimed = async (fake: FakePorts) => {
  const at = fake.clock.now();
  const input = 'x'.repeat(limits.inlineBytesMax);
  const draft = {
    type: 'tool.call',
    to: { service: 'tool-gateway', pool },
    key: keyAt(1),
    attempt: 1,
    payload: { tool: 'test.tool', input },
    deadline: at + 60_000,
  } as const;
  await send(fake.ports, draft, { sender: 'manager', at, since: at, epoch: 0, trace_id: trace });
  const [message] = fake.published;
  if (message === undefined) throw new Error('nothing was sent');
  return { delivery: deliveryOf(message, fake.clock), input };
};

describe('a delivery', () => {
  it('opens as the envelope that was sealed, attempt and epoch from its headers', async () => {
    const { ports, clock } = fakePorts();
    const message = toolCall(3, clock.now(), { attempt: 2, epoch: 1 });
    const opened = await openDelivery(ports, deliveryOf(message, clock));
    expect(opened).toMatchObject({
      kind: 'open',
      envelope: { type: 'tool.call', attempt: 2, epoch: 1, payload: { tool: 'test.tool', input: 'step 3' } },
    });
  });

  it('opens with the payload that lies in the blob store', async () => {
    const fake = fakePorts();
    const { delivery, input } = await claimed(fake);
    expect(delivery.body.length).toBeLessThan(1_000);
    expect(await openDelivery(fake.ports, delivery)).toMatchObject({
      kind: 'open',
      envelope: { payload: { input } },
    });
  });

  it('is unreachable while that store does not answer, or may only be late, and bad when it is gone', async () => {
    const fake = fakePorts();
    const { delivery } = await claimed(fake);
    const missing = fail(fault('invalid', 'no such blob'));
    fake.answer('blobs.get', away, missing, missing);
    expect((await openDelivery(fake.ports, delivery)).kind).toBe('unreachable');
    expect((await openDelivery(fake.ports, delivery)).kind).toBe('unreachable');
    await fake.clock.pass(runtimeLimits.goneAfterMs);
    expect(await openDelivery(fake.ports, delivery)).toMatchObject({
      kind: 'bad',
      fault: { source: 'gone', detail: 'a value is gone: no such blob' },
    });
  });

  it('is bad, with a reason, where nobody will ever read it; its headers still say whose it is', async () => {
    const { ports, clock } = fakePorts();
    const message = toolCall(1, clock.now());
    const of = (how: { readonly body?: Uint8Array; readonly headers?: RawHeaders }) =>
      openDelivery(ports, deliveryOf(message, clock, how));
    expect(await of({ headers: {} })).toMatchObject({
      kind: 'bad',
      fault: { detail: expect.stringContaining('header') },
    });
    const unread = await of({ body: new Uint8Array([0xff]) });
    expect(unread).toMatchObject({ kind: 'bad', headers: { key: keyAt(1) }, fault: { detail: 'not UTF-8' } });
    expect(await of({ body: encodeJson({}) })).toMatchObject({ kind: 'bad', fault: { kind: 'invalid' } });
  });

  it('is newer where only somebody else can read it, whatever its body is', async () => {
    const { ports, clock } = fakePorts();
    const headers = { ...writeHeaders(toolCall(1, clock.now()).headers), 'Mesh-V': '2' };
    const delivery = deliveryOf(toolCall(1, clock.now()), clock, { headers, body: new Uint8Array() });
    expect(await openDelivery(ports, delivery)).toMatchObject({ kind: 'newer', headers: { v: 2 } });
  });
});

describe('a dead letter', () => {
  it('holds the message whole, its reason, its strikes and its first and last time', async () => {
    const { ports, clock, letters } = fakePorts();
    const since = clock.now();
    const delivery = deliveryOf(toolCall(1, since), clock);
    await clock.pass(5_000);
    expect(await park(ports, delivery, 'why', 4)).toBe(true);
    const { subject, headers, body } = delivery;
    expect(letters).toEqual([
      {
        id: headers['Nats-Msg-Id'],
        tenant,
        job,
        key: keyAt(1),
        subject,
        headers,
        body,
        reason: 'why',
        strikes: 4,
        first_at: since,
        last_at: since + 5_000,
      },
    ]);
  });

  it('has a digest of its bytes for an id where it has none of its own, so that there is one', async () => {
    const { ports, clock, letters } = fakePorts();
    for (const id of [undefined, 'no-id', '0'.repeat(31)]) {
      const headers: RawHeaders = id === undefined ? {} : { 'Nats-Msg-Id': id };
      await park(
        ports,
        deliveryOf(toolCall(1, clock.now()), clock, { headers, body: encodeJson('x') }),
        'why',
      );
    }
    expect(new Set(letters.map(({ id }) => id))).toEqual(new Set([sha256Hex(encodeJson('x')).slice(0, 32)]));
  });

  it('of an unknown subject belongs to nobody, and is kept all the same', async () => {
    const { ports, clock, letters } = fakePorts();
    const delivery = { ...deliveryOf(toolCall(1, clock.now()), clock), subject: 'somewhere.else' };
    expect(await park(ports, delivery, 'why')).toBe(true);
    expect(letters[0]).toMatchObject({ tenant: 'unknown', job: 'unknown' });
  });

  it('is acked only when it is stored', async () => {
    const fake = fakePorts();
    const delivery = deliveryOf(toolCall(1, fake.clock.now()), fake.clock);
    fake.answer('dead.put', away);
    await parkAndAck(fake.ports, delivery, 'why');
    expect(delivery.said).toEqual(['nak 2000']);
    await parkAndAck(fake.ports, delivery, 'why');
    expect(delivery.said).toEqual(['nak 2000', 'ack']);
  });
});
