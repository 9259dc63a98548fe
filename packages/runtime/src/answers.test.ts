import { decodeJson, fail, fault } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { answers, type Verdict } from './answers.ts';
import { causeOf } from './heartbeat.ts';
import { fakeHost } from './testing/fake-host.ts';
import { fakePorts } from './testing/fake-ports.ts';
import { answered, answerTo, callTo, hosted, queue, untilStopped, type Work } from './testing/hosted.ts';
import { keyAt, tenant, toolCall, trace } from './testing/messages.ts';
import { spanSink } from './testing/span-sink.ts';
import type { InHand } from './work.ts';

const away = fail(fault('unavailable', 'away'));

describe('a handler host', () => {
  it('works on a request, answers whoever asked, and acks last', async () => {
    const fake = fakePorts();
    const delivery = callTo(fake, { epoch: 2 });
    await (await hosted(fake, [delivery])).stop();
    expect(delivery.said).toEqual(['ack']);
    expect(fake.published[0]).toMatchObject({
      queue: { service: 'worker', lane: 'decide' },
      headers: { type: 'tool.settle', key: keyAt(1), epoch: 2 },
    });
    expect(JSON.parse(new TextDecoder().decode(fake.published[0]?.body))).toMatchObject({
      causation_id: delivery.headers['Nats-Msg-Id'],
      trace_id: trace,
    });
  });

  it('answers straight to a caller that waits, and nowhere else', async () => {
    const fake = fakePorts();
    const delivery = callTo(fake, { reply_to: 'a.caller' });
    await (await hosted(fake, [delivery])).stop();
    expect([delivery.said, fake.published]).toEqual([['ack'], []]);
    const [[subject, body] = []] = fake.given('bus.cast');
    expect([subject, decodeJson(body as Uint8Array)]).toMatchObject([
      'a.caller',
      { value: { type: 'tool.settle' } },
    ]); // as it was cast
  });

  it('does not ack what it could not answer: it comes again and answers from the stored result', async () => {
    const fake = fakePorts();
    fake.answer('bus.publish', away);
    const delivery = callTo(fake);
    await (await hosted(fake, [delivery])).stop();
    expect(delivery.said).toEqual(['nak 2000']);
  });

  it('takes one message per free slot', async () => {
    const fake = fakePorts();
    const deliveries = Array.from({ length: 5 }, () => callTo(fake));
    const seen: InHand[] = [];
    const { host, stop } = await hosted(
      fake,
      deliveries,
      untilStopped(fake, seen, { kind: 'silent', ack: true }),
      { slots: 2 },
    );
    expect([seen.length, fake.left(queue)]).toEqual([2, 3]);
    seen[0]?.hold.abort('cancelled');
    await fake.clock.pass(10);
    expect([seen.length, fake.left(queue)]).toEqual([3, 2]);
    host.stopWork();
    await stop();
  });

  it('hands back, stays silent, or acks in silence, as it is told', async () => {
    const fake = fakePorts();
    const verdicts: Verdict[] = [
      { kind: 'hand_back', delayMs: 700 },
      { kind: 'silent', ack: false },
      { kind: 'silent', ack: true },
    ];
    const deliveries = verdicts.map(() => callTo(fake));
    await (
      await hosted(fake, deliveries, async () => verdicts.shift() ?? { kind: 'silent', ack: false })
    ).stop();
    expect(deliveries.map(({ said }) => said)).toEqual([['nak 700'], [], ['ack']]);
  });

  it('sets a message aside and answers it all the same; without the dead letter it does neither', async () => {
    const fake = fakePorts();
    const parked: Work = async (_, envelope) => ({
      kind: 'answer',
      draft: answerTo(envelope),
      park: { reason: 'struck out', strikes: 4 },
    });
    fake.answer('dead.put', away);
    const [first, second] = [callTo(fake), callTo(fake)];
    await (await hosted(fake, [first], parked)).stop();
    expect([first.said, fake.published.length]).toEqual([['nak 2000'], 0]);
    await (await hosted(fake, [second], parked)).stop();
    expect([second.said, fake.published.length, fake.letters.map(({ strikes }) => strikes)]).toEqual([
      ['ack'],
      1,
      [4],
    ]);
  });

  it('drops unhandled what lay in its own buffer for a whole ack wait, and gives back what comes too early', async () => {
    const fake = fakePorts();
    const stale = callTo(fake, {}, { receivedAt: fake.clock.now() - 6_000 });
    const body = JSON.parse(new TextDecoder().decode(toolCall(1, fake.clock.now()).body));
    const early = callTo(
      fake,
      {},
      { body: new TextEncoder().encode(JSON.stringify({ ...body, not_before: fake.clock.now() + 900 })) },
    );
    let works = 0;
    await (await hosted(fake, [stale, early], async () => ({ kind: 'silent', ack: works++ === 0 }))).stop();
    expect([stale.said, early.said, works]).toEqual([[], ['nak 900'], 0]);
  });
});

describe('who is told to stop', () => {
  it('hears a cancel of its job, and of no other', async () => {
    const fake = fakePorts();
    const seen: InHand[] = [];
    const { stop } = await hosted(
      fake,
      [callTo(fake)],
      untilStopped(fake, seen, { kind: 'silent', ack: true }),
    );
    fake.say(`mesh.v1.control.cancel.${tenant}.j-11`);
    fake.say(`mesh.v1.control.cancel.stranger.j-1`);
    expect(seen.map(({ hold }) => causeOf(hold.signal))).toEqual([undefined]);
    fake.say(`mesh.v1.control.cancel.${tenant}.j-1`);
    expect(seen.map(({ hold }) => causeOf(hold.signal))).toEqual(['cancelled']);
    await stop();
    expect(fake.listeners()).toBe(0);
  });

  it('by a shutdown gives its message back at once', async () => {
    const fake = fakePorts();
    const seen: InHand[] = [];
    const delivery = callTo(fake);
    const { host, stop } = await hosted(
      fake,
      [delivery],
      untilStopped(fake, seen, { kind: 'hand_back', delayMs: undefined }),
    );
    host.stopWork();
    await stop();
    expect([delivery.said, seen.map(({ hold }) => causeOf(hold.signal))]).toEqual([['nak 0'], ['draining']]);
  });

  it('still hears cancels while it drains, and says when the last one has ended', async () => {
    const fake = fakePorts();
    const seen: InHand[] = [];
    let ended = 0;
    const onEnd = async (): Promise<void> => void ended++;
    const { host, stop } = await hosted(
      fake,
      [callTo(fake)],
      untilStopped(fake, seen, { kind: 'silent', ack: true }),
      { onEnd },
    );
    host.stopIntake();
    await fake.clock.pass(100);
    expect([fake.listeners(), ended]).toEqual([1, 0]);
    fake.say(`mesh.v1.control.cancel.${tenant}.j-1`);
    await stop();
    expect([fake.listeners(), ended, fake.clock.sleepers()]).toEqual([0, 1, 0]);
  });

  it('because its hold is lost says nothing more about the message', async () => {
    for (const verdict of [
      { kind: 'hand_back', delayMs: 1 },
      { kind: 'silent', ack: true },
      { kind: 'answer', draft: answerTo({ idempotency_key: keyAt(1), attempt: 1 }) },
    ] as const) {
      const fake = fakePorts();
      const delivery = callTo(fake);
      const lost: Work = async ({ hold }) => {
        hold.abort('lost');
        return verdict;
      };
      await (await hosted(fake, [delivery], lost)).stop();
      expect([verdict.kind, delivery.said]).toEqual([verdict.kind, []]);
    }
  });

  it('because its hold is lost, and breaks, is set aside by whoever has the message', async () => {
    const fake = fakePorts();
    const delivery = callTo(fake);
    const broken: Work = async ({ hold }) => {
      hold.abort('lost');
      throw new Error('broken');
    };
    await (await hosted(fake, [delivery], broken)).stop();
    expect([delivery.said, fake.letters]).toEqual([[], []]);
    expect(fake.lines).toEqual([expect.stringContaining('a handler threw: Error: broken')]);
  });
});

it('each request is one span, which ends with what came of it', async () => {
  using sink = spanSink();
  const fake = fakePorts();
  let works = 0;
  const work: Work = async (hand, envelope) => {
    works += 1;
    if (works === 1) throw new Error('broken');
    if (works === 2) return { kind: 'answer', draft: answerTo(envelope), park: { reason: 'x', strikes: 0 } };
    return answered(hand, envelope);
  };
  await (await hosted(fake, [callTo(fake), callTo(fake), callTo(fake)], work)).stop();
  expect(sink.named('process').map(({ ends, attributes }) => [ends, attributes['error.type']])).toEqual([
    [1, 'defect'],
    [1, 'parked'],
    [1, undefined],
  ]);
});

it('a host that cannot subscribe does not start', async () => {
  const fake = fakePorts();
  fake.answer('bus.subscribe', away);
  expect(await answers({ queue, slots: 1, by: [] })(fakeHost(fake))).toEqual(away);
  expect(fake.listeners()).toBe(0);
});
