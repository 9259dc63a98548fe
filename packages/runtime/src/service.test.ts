import { fail, fault, ok } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { type Host, type Part, serve } from './service.ts';
import { fakePorts } from './testing/fake-ports.ts';

/** A part that runs until it is told to stop, and says in which order things happened. */
const part =
  (said: string[], name: string, work: (host: Host) => Promise<void> = async () => {}): Part =>
  async (host) => {
    said.push(`${name} starts`);
    host.nursery.go(async () => {
      await host.ports.clock.sleep(Number.POSITIVE_INFINITY, host.intake);
      said.push(`${name} takes nothing more`);
      await work(host);
      said.push(`${name} ends`);
    });
    return ok(undefined);
  };

describe('a service', () => {
  it('stops taking work on, finishes what is in hand, and has ended then', async () => {
    const fake = fakePorts();
    const said: string[] = [];
    const busy = part(said, 'a', ({ ports }) => ports.clock.sleep(500));
    const started = await serve('manager', fake.ports, [busy, part(said, 'b')]).start();
    if (!started.ok) throw new Error('not started');
    const stopped = started.value.stop(5_000).then(() => said.push('stopped'));
    await fake.clock.pass(499);
    expect(said.slice(2)).toEqual(['a takes nothing more', 'b takes nothing more', 'b ends']);
    await fake.clock.pass(1);
    await stopped;
    expect([said.slice(5), fake.clock.sleepers()]).toEqual([['a ends', 'stopped'], 0]);
  });

  it('hands back what is still in hand when its grace is over', async () => {
    const fake = fakePorts();
    const said: string[] = [];
    const endless = part(said, 'a', ({ ports, work }) => ports.clock.sleep(Number.POSITIVE_INFINITY, work));
    const started = await serve('manager', fake.ports, [endless]).start();
    if (!started.ok) throw new Error('not started');
    const stopped = started.value.stop(2_000);
    await fake.clock.pass(1_999);
    expect(said).not.toContain('a ends');
    await fake.clock.pass(1);
    await stopped;
    expect([said.at(-1), fake.clock.sleepers()]).toEqual(['a ends', 0]);
  });

  it('that cannot start in full ends what had started, and says why', async () => {
    const fake = fakePorts();
    const said: string[] = [];
    const away = fail(fault('unavailable', 'away'));
    const starting = serve('manager', fake.ports, [
      part(said, 'a'),
      async () => away,
      part(said, 'never'),
    ]).start();
    await fake.clock.pass(0);
    expect(await starting).toEqual(away);
    expect([said, fake.clock.sleepers()]).toEqual([['a starts', 'a takes nothing more', 'a ends'], 0]);
  });

  it('ends by a defect of any of its parts: it says so at once, stops everything, and fails', async () => {
    const fake = fakePorts();
    const said: string[] = [];
    const broken: Part = async (host) => {
      host.nursery.go(async () => {
        await host.ports.clock.sleep(100);
        throw new Error('broken');
      });
      return ok(undefined);
    };
    const endless = part(said, 'a', ({ ports, work }) => ports.clock.sleep(Number.POSITIVE_INFINITY, work));
    const started = await serve('manager', fake.ports, [endless, broken]).start();
    if (!started.ok) throw new Error('not started');
    await fake.clock.pass(100);
    expect(await started.value.failed).toMatchObject({ message: 'broken' });
    expect([said.at(-1), fake.lines.at(-1)]).toEqual([
      'a ends',
      'error manager ends by a defect {"error":"Error: broken"}',
    ]);
    await expect(started.value.stop(1_000)).rejects.toThrow('broken');
    await fake.clock.pass(2_000);
    expect(fake.clock.sleepers()).toBe(0);
  });

  it('is named apart from its replicas, and its ports are steady', async () => {
    const fake = fakePorts();
    const seen: { host?: Host } = {};
    await serve('worker.default' as never, fake.ports, [
      async (host) => {
        seen.host = host;
        return ok(undefined);
      },
    ]).start();
    expect([seen.host?.party, seen.host?.instance]).toEqual(['worker.default', 'worker.default-abababab']);
    fake.answer('blobs.get', fail(fault('unavailable', 'away', { retry_after_ms: 100 })));
    const asked = seen.host?.ports.blobs.get('acme' as never, 'j-1' as never, 'x' as never); // never looked at
    await fake.clock.pass(1_000);
    await asked;
    expect(fake.given('blobs.get').length).toBe(2);
  });
});
