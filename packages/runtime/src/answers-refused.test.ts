import { decodeJson, fail, fault, ok, writeHeaders } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import type { Answering } from './answers.ts';
import { type FakePorts, fakePorts } from './testing/fake-ports.ts';
import { answered, answerTo, callTo, hosted, type Work } from './testing/hosted.ts';
import { toolCall } from './testing/messages.ts';

const away = fail(fault('unavailable', 'away'));

describe('what a handler host cannot work on', () => {
  const refusal: Answering<'tool.call'>['refusal'] = ({ key, attempt }, why) =>
    ok({
      ...answerTo({ idempotency_key: key, attempt }),
      payload: { outcome: { kind: 'failed', fault: why } },
    });
  const headersOf = (fake: FakePorts) => writeHeaders(toolCall(1, fake.clock.now()).headers);

  it('is set aside with the reason, and whoever waits for it is told', async () => {
    const fake = fakePorts();
    const unread = callTo(fake, {}, { body: new Uint8Array([1]) });
    await (await hosted(fake, [unread], answered, { refusal })).stop();
    expect([unread.said, fake.letters.length, fake.published.length]).toEqual([['ack'], 1, 1]);
    expect(
      JSON.parse(new TextDecoder().decode(fake.published[0]?.body)).payload.outcome.fault.detail,
    ).toContain('not JSON');
  });

  it('is told of only when it is stored, and acked only when it was told of', async () => {
    const fake = fakePorts();
    const unread = () => callTo(fake, {}, { body: new Uint8Array([1]) });
    fake.answer('dead.put', away);
    const [first, second] = [unread(), unread()];
    await (await hosted(fake, [first], answered, { refusal })).stop();
    expect([first.said, fake.published.length]).toEqual([['nak 2000'], 0]);
    fake.answer('bus.publish', away);
    await (await hosted(fake, [second], answered, { refusal })).stop();
    expect(second.said).toEqual(['nak 2000']);
  });

  it('and whose asker waits itself, is told of there, as its header says', async () => {
    const fake = fakePorts();
    const unread = callTo(fake, { reply_to: 'a.caller' }, { body: new Uint8Array([1]) });
    await (await hosted(fake, [unread], answered, { refusal })).stop();
    const [[subject, body] = []] = fake.given('bus.cast');
    expect([unread.said, fake.letters.length, fake.published, subject]).toEqual([['ack'], 1, [], 'a.caller']);
    expect(decodeJson(body as Uint8Array)).toMatchObject({
      value: { type: 'tool.settle', payload: { outcome: { fault: { kind: 'invalid' } } } },
    }); // as it was cast
  });

  it('is set aside in silence where there is nobody to tell, and comes again where that cannot be known', async () => {
    const fake = fakePorts();
    const unread = () => callTo(fake, {}, { body: new Uint8Array([1]) });
    const [untold, unsure] = [unread(), unread()];
    await (await hosted(fake, [untold], answered, { refusal: () => ok(undefined) })).stop();
    await (await hosted(fake, [unsure], answered, { refusal: async () => away })).stop();
    expect([untold.said, unsure.said, fake.published]).toEqual([['ack'], ['nak 2000'], []]);
  });

  it('is also what has an answer that no message can carry: the asker hears of it at once', async () => {
    const fake = fakePorts();
    const deep = JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`);
    const delivery = callTo(fake);
    const work: Work = async (_, envelope) => ({ kind: 'answer', draft: answerTo(envelope, deep) });
    await (await hosted(fake, [delivery], work, { refusal })).stop();
    expect([delivery.said, fake.letters.length, fake.published.length]).toEqual([['ack'], 1, 1]);
    expect(JSON.parse(new TextDecoder().decode(fake.published[0]?.body)).payload.outcome).toMatchObject({
      kind: 'failed',
      fault: { kind: 'invalid', detail: expect.stringContaining('nested deeper than 63') },
    });
  });

  it('because its handler broke is told, and nobody else suffers', async () => {
    const fake = fakePorts();
    const [bad, good] = [callTo(fake, { reply_to: 'a.caller' }), callTo(fake)];
    let works = 0;
    const breaking: Work = async (hand, envelope) => {
      if (works++ === 0) throw new Error('broken');
      return answered(hand, envelope);
    };
    const { host, stop } = await hosted(fake, [bad, good], breaking, { refusal });
    await stop();
    expect([bad.said, good.said, host.nursery.size()]).toEqual([['ack'], ['ack'], 0]);
    expect([fake.letters[0]?.reason, fake.given('bus.cast').length]).toEqual([
      'a handler threw: Error: broken',
      1,
    ]);
  });

  it('for its version goes back until its deadline, and is set aside there', async () => {
    const fake = fakePorts();
    const newer = (deadline: number) =>
      callTo(fake, {}, { headers: { ...headersOf(fake), 'Mesh-V': '2', 'Mesh-Deadline': String(deadline) } });
    const [young, old] = [newer(fake.clock.now() + 9_000), newer(fake.clock.now())];
    await (await hosted(fake, [young, old], answered, { refusal })).stop();
    expect([young.said, old.said, fake.letters.map(({ reason }) => reason)]).toEqual([
      ['nak 2000'],
      ['ack'],
      ['unsupported version: tool.call v2, and its deadline has passed'],
    ]);
  });

  it('because its payload lies where nobody answers goes back', async () => {
    const fake = fakePorts();
    const body = JSON.parse(new TextDecoder().decode(toolCall(1, fake.clock.now()).body));
    const { payload: _, ...outer } = body;
    const payload_ref = { digest: '0'.repeat(64), bytes: 1 };
    const claimed = callTo(
      fake,
      {},
      { body: new TextEncoder().encode(JSON.stringify({ ...outer, payload_ref })) },
    );
    fake.answer('blobs.get', away);
    await (await hosted(fake, [claimed])).stop();
    expect([claimed.said, fake.letters]).toEqual([['nak 2000'], []]);
  });
});
