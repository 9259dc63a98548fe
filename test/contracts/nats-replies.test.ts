import { describe, expect, it } from 'vitest';
import { isSilent, next, publishCalls, unacked } from './bus-hands.ts';
import { appendOf, textsOf } from './journal-hands.ts';
import { hastyCallMsMax, hastyTimings, type NatsScene, natsScene, timed } from './nats-scene.ts';
import { faultOf, got } from './rig.ts';

/** Loses the next reply of that form, and one alone. */
const loseOne = ({ proxy }: NatsScene, form: RegExp): void => {
  let lost = false;
  proxy.dropReplies((bytes) => {
    if (lost || !form.test(bytes.toString('latin1'))) return false;
    lost = true;
    return true;
  });
};

const storedIn = (stream: string): RegExp => new RegExp(`"stream":"${stream}"`);
const emptyReply = /MSG _INBOX\S+ \d+ 0\r\n/;
const unanswered = { kind: 'unanswered', retry_after_ms: expect.any(Number) };

describe.concurrent('one reply that is lost', { timeout: 60_000 }, () => {
  it('of a publish: it is stored, and the same again is a duplicate', async () => {
    await using scene = await natsScene({ timings: hastyTimings });
    const { bus } = scene.ports;
    const message = scene.bench.make.toolCall(1);
    loseOne(scene, storedIn('MESH_WORK'));
    const { value, ms } = await timed(() => bus.publish(message));
    expect(faultOf(value)).toMatchObject(unanswered);
    expect(ms).toBeLessThan(hastyCallMsMax);
    expect(got(await bus.publish(message))).toEqual({ duplicate: true });
    expect(await unacked(bus, scene.bench.make.gateway)).toBe(1);
    expect(scene.proxy.counts().repliesDropped).toBe(1);
  });

  it('of an append: the same again is stored or a conflict, and it is there once', async () => {
    await using scene = await natsScene({ timings: hastyTimings });
    const { bench, ports } = scene;
    const entity = bench.make.entity();
    const wanted = appendOf(bench, entity, 'a', 0);
    loseOne(scene, storedIn('MESH_JOURNAL'));
    expect(faultOf(await ports.journal.append(wanted))).toMatchObject(unanswered);
    expect(['stored', 'conflict']).toContain(got(await ports.journal.append(wanted)).kind);
    expect(await textsOf(bench, entity)).toEqual(['a']);
    expect(scene.proxy.counts().repliesDropped).toBe(1);
  });

  it('of an ack: it counted, and the same again is answered', async () => {
    await using scene = await natsScene({ timings: hastyTimings });
    const { bench } = scene;
    await publishCalls(bench, 1);
    const held = await next(bench);
    loseOne(scene, emptyReply);
    expect(faultOf(await held.ack())).toMatchObject(unanswered);
    expect(scene.proxy.counts().repliesDropped).toBe(1);
    got(await held.ack());
    expect(await isSilent(bench, bench.ackWaitMs + bench.slackMs)).toBe(true);
  });

  it('of a list: it is no shorter list, and the next is whole', async () => {
    await using scene = await natsScene({ timings: hastyTimings });
    const { index } = scene.ports;
    const root = `mesh.v1.${scene.bench.make.tenant}.index`;
    for (const name of ['a', 'b', 'c']) got(await index.put(`${root}.${name}`, name));
    loseOne(scene, /MSG mesh\S+\.index\./);
    expect(faultOf(await index.list(root)).retry_after_ms).toBeDefined();
    expect(scene.proxy.counts().repliesDropped).toBe(1);
    expect(got(await index.list(root)).map(({ value }) => value)).toEqual(['a', 'b', 'c']);
  });

  it('of a request to a connection that is cut before it: the connection comes back, the message is there once', async () => {
    await using scene = await natsScene({ timings: hastyTimings });
    const { bench, ports, proxy } = scene;
    const message = bench.make.toolCall(1);
    const cut = proxy.cutAfterRequest(message.subject);
    const { value, ms } = await timed(() => ports.bus.publish(message));
    await cut;
    expect(value.ok).toBe(false);
    expect(ms).toBeLessThan(hastyCallMsMax);
    await proxy.mend();
    const delivered = await next(bench);
    expect(delivered.subject).toBe(message.subject);
    expect(got(await ports.bus.publish(message))).toEqual({ duplicate: true });
  });
});
