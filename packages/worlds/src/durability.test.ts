import { createServer } from 'node:http';
import { invariant } from '@foldmesh/envelope';
import { describe, expect, it, onTestFinished } from 'vitest';
import { durabilitiesOf, enoughDurability } from './durability.ts';

const never = new AbortController().signal;

/** A monitoring port that says this of its configuration. */
const monitor = async (config: object): Promise<string> => {
  const server = createServer((_, response) => response.end(JSON.stringify({ jetstream: { config } })));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const address = server.address();
  invariant(typeof address === 'object' && address !== null, 'it listens');
  return `http://127.0.0.1:${address.port}`;
};

describe('durability', () => {
  it('is best effort where nothing says otherwise', async () => {
    expect(await durabilitiesOf({ replicas: 1 }, undefined, never)).toEqual(['best-effort']);
    expect(await durabilitiesOf({ replicas: 1 }, await monitor({ sync_interval: 120e9 }), never)).toEqual([
      'best-effort',
    ]);
    expect(await durabilitiesOf({ replicas: 1 }, 'http://127.0.0.1:1', never)).toEqual(['best-effort']);
  });

  it('is what the servers give, which may be both', async () => {
    const synced = await monitor({ sync_always: true });
    expect(await durabilitiesOf({ replicas: 1 }, synced, never)).toEqual(['durable', 'best-effort']);
    expect(await durabilitiesOf({ replicas: 3 }, synced, never)).toEqual([
      'replicated',
      'durable',
      'best-effort',
    ]);
  });

  it('that is asked for and not had is refused, with what it needs', () => {
    expect(enoughDurability('durable', ['best-effort'])).toMatchObject({
      ok: false,
      fault: { kind: 'refused', detail: expect.stringContaining('sync_interval: always') },
    });
    expect(enoughDurability('replicated', ['durable', 'best-effort'])).toMatchObject({ ok: false });
  });

  it('that is asked for and had is what it says; more than nothing was asked for is said as it is', () => {
    const both = ['replicated', 'durable', 'best-effort'] as const;
    expect(enoughDurability('durable', both)).toEqual({ ok: true, value: 'durable' });
    expect(enoughDurability('best-effort', both)).toEqual({ ok: true, value: 'replicated' });
  });
});
