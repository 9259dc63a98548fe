import { limits } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { bytesOf } from './body-bytes.ts';
import { origin } from './testing/test-api.ts';

/** A request whose body somebody sends piece by piece. */
const sending = (headers: Readonly<Record<string, string>> = {}) => {
  const sent = new TransformStream<Uint8Array, Uint8Array>();
  const init = { method: 'POST', headers, body: sent.readable, duplex: 'half' } as const;
  return { request: new Request(origin, init), sender: sent.writable.getWriter() };
};

const piece = (bytes: number): Uint8Array => new Uint8Array(bytes);
const room = (bytesMax = limits.bodyBytesMax * 2) => ({ bytesMax, bytes: 0 });

describe('the bytes of a body', () => {
  it('are joined as they come, and give their room back', async () => {
    const { request, sender } = sending();
    const held = room();
    const coming = bytesOf(request, held);
    await sender.write(Uint8Array.of(1, 2));
    await sender.write(Uint8Array.of(3));
    await expect.poll(() => held.bytes).toBe(3);
    await sender.close();
    expect([await coming, held.bytes]).toEqual([Uint8Array.of(1, 2, 3), 0]);
  });

  it('are none where nothing is sent', async () => {
    expect(await bytesOf(new Request(origin, { method: 'POST' }), room())).toEqual(new Uint8Array(0));
  });

  it('are too many by what they say of themselves, or by what comes, though it says nothing', async () => {
    const told = sending({ 'content-length': String(limits.bodyBytesMax + 1) });
    expect(await bytesOf(told.request, room())).toBe('too-large');
    const { request, sender } = sending();
    const coming = bytesOf(request, room());
    const half = piece(limits.bodyBytesMax / 2 + 1);
    await sender.write(half);
    void sender.write(half).catch(() => undefined);
    expect(await coming).toBe('too-large');
  });

  it('that break off are those of somebody who has gone', async () => {
    const { request, sender } = sending();
    const held = room();
    const coming = bytesOf(request, held);
    await sender.write(piece(5));
    await sender.abort(new Error('gone'));
    expect([await coming, held.bytes]).toEqual(['broken-off', 0]);
  });

  it('of many slow senders together have a limit, and who ends makes room', async () => {
    const held = room(10);
    const slow = sending();
    const waiting = bytesOf(slow.request, held);
    await slow.sender.write(piece(8));
    await expect.poll(() => held.bytes).toBe(8);
    const late = sending();
    const refused = bytesOf(late.request, held);
    void late.sender.write(piece(3)).catch(() => undefined);
    expect(await refused).toBe('no-room');
    await slow.sender.close();
    expect(await waiting).toEqual(piece(8));
    const again = sending();
    const taken = bytesOf(again.request, held);
    await again.sender.write(piece(3));
    await again.sender.close();
    expect(await taken).toEqual(piece(3));
  });
});
