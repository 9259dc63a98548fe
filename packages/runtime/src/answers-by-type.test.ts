import { type Envelope, fail, fault, ok } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import type { AnsweredQueue, Answering, Verdict } from './answers.ts';
import { type FakePorts, fakePorts } from './testing/fake-ports.ts';
import { answered, answerTo, callTo, hosted } from './testing/hosted.ts';
import { deliveryOf, jobCancel } from './testing/messages.ts';
import type { InHand } from './work.ts';

const away = fail(fault('unavailable', 'away'));

describe('a queue of several types', () => {
  const cancelOf = (fake: FakePorts) => deliveryOf(jobCancel(1, fake.clock.now(), 'enough'), fake.clock);
  /** Writes down what it was given, and says nothing. */
  const noting =
    (seen: string[], who: string) =>
    async (_: InHand, { type }: Pick<Envelope, 'type'>): Promise<Verdict> => {
      seen.push(`${who}: ${type}`);
      return { kind: 'silent', ack: true };
    };

  it('has each worked on by its own handler', async () => {
    const fake = fakePorts();
    const seen: string[] = [];
    const by: AnsweredQueue['by'] = [
      { type: 'job.cancel', work: noting(seen, 'canceller') },
      { type: 'tool.call', work: noting(seen, 'caller') },
    ];
    const deliveries = [callTo(fake), cancelOf(fake), callTo(fake)];
    await (await hosted(fake, deliveries, answered, { by })).stop();
    expect(seen).toEqual(['caller: tool.call', 'canceller: job.cancel', 'caller: tool.call']);
    expect([deliveries.map(({ said }) => said), fake.letters]).toEqual([[['ack'], ['ack'], ['ack']], []]);
  });

  it('refuses each in the words of its own handler', async () => {
    const fake = fakePorts();
    const broken = async () => Promise.reject(new Error('broken'));
    const refusal = (text: string): NonNullable<Answering['refusal']> => {
      return ({ key, attempt }) => ok(answerTo({ idempotency_key: key, attempt }, text));
    };
    const by: AnsweredQueue['by'] = [
      { type: 'job.cancel', work: broken, refusal: refusal('the canceller') },
      { type: 'tool.call', work: broken, refusal: refusal('the caller') },
    ];
    await (await hosted(fake, [callTo(fake), cancelOf(fake)], answered, { by })).stop();
    const bodies = fake.published.map(({ body }) => JSON.parse(new TextDecoder().decode(body)));
    expect(bodies.map(({ payload }) => payload.outcome.output.value)).toEqual([
      'the caller',
      'the canceller',
    ]);
  });

  it('sets aside what nobody in it answers, and works on the rest', async () => {
    const fake = fakePorts();
    const [stranger, known] = [cancelOf(fake), callTo(fake)];
    await (await hosted(fake, [stranger, known])).stop();
    expect([stranger.said, known.said, fake.published.length]).toEqual([['ack'], ['ack'], 1]);
    expect(fake.letters.map(({ reason }) => reason)).toEqual(['nobody here answers job.cancel']);
  });

  it('keeps what nobody answers for as long as it cannot be set aside', async () => {
    const fake = fakePorts();
    fake.answer('dead.put', away);
    const stranger = cancelOf(fake);
    await (await hosted(fake, [stranger])).stop();
    expect([stranger.said, fake.letters]).toEqual([['nak 2000'], []]);
  });
});
