import { decodeJson, fail, fault, limits, ok } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { cast, send } from './send.ts';
import { fakePorts } from './testing/fake-ports.ts';
import { keyAt, pool, trace } from './testing/messages.ts';

const draftOf = (input: string) =>
  ({
    type: 'tool.call',
    to: { service: 'tool-gateway', pool },
    key: keyAt(1),
    attempt: 1,
    payload: { tool: 'test.tool', input },
  }) as const;
const stamp = { sender: 'manager', at: 1, since: 1, epoch: 0, trace_id: trace } as const;
const large = 'x'.repeat(limits.inlineBytesMax);

describe('what is sent', () => {
  it('is stored when the bus says so', async () => {
    const fake = fakePorts();
    expect(await send(fake.ports, draftOf('small'), stamp)).toEqual(ok({ duplicate: false }));
    expect(fake.calls.map(({ call }) => call)).toEqual(['bus.publish']);
  });

  it('goes by claim check where it is too large, its payload first', async () => {
    const fake = fakePorts();
    await send(fake.ports, draftOf(large), stamp);
    expect(fake.calls.map(({ call }) => call)).toEqual(['blobs.put', 'bus.publish']);
    expect(fake.published[0]?.body.length).toBeLessThan(1_000);
  });

  it('is not published while its payload cannot be stored', async () => {
    const fake = fakePorts();
    const away = fail(fault('unavailable', 'away'));
    fake.answer('blobs.put', away);
    expect(await send(fake.ports, draftOf(large), stamp)).toEqual(away);
    expect(fake.published).toEqual([]);
  });

  it('straight to a caller is the same envelope, and its sender hears where it cannot be made', async () => {
    const fake = fakePorts();
    await cast(fake.ports, 'a.reply', draftOf('small'), stamp);
    const [[subject, body] = []] = fake.given('bus.cast');
    expect(subject).toBe('a.reply');
    expect(decodeJson(body as Uint8Array)).toMatchObject({ ok: true, value: { idempotency_key: keyAt(1) } }); // as it was cast
    const away = fail(fault('unavailable', 'away'));
    fake.answer('blobs.put', away);
    expect(await cast(fake.ports, 'a.reply', draftOf(large), stamp)).toEqual(away);
    expect(fake.given('bus.cast').length).toBe(1);
  });

  it('is refused to its sender where nobody could read it, and nothing of it leaves', async () => {
    const fake = fakePorts();
    const huge = draftOf('x'.repeat(limits.bodyBytesMax));
    const sent = await send(fake.ports, huge, stamp);
    expect(sent).toMatchObject({ ok: false, fault: { kind: 'overflow' } });
    expect(await cast(fake.ports, 'a.reply', huge, stamp)).toEqual(sent);
    expect(fake.calls).toEqual([]);
  });
});
