import { describe, expect, it } from 'vitest';
import { type Bench, bench, type Started } from './command-line.ts';
import { keyHeader } from './mesh/mesh-client.ts';

const wide = { FOLDMESH_API_ADDRESS: '0.0.0.0', FOLDMESH_API_KEYS: 'keys.yaml' };

/** All that a mesh of one process has said when it is up, and where it listens. */
const up = async (
  at: Bench,
): Promise<{ readonly process: Started; readonly said: string; readonly url: string }> => {
  const process = at.start(['up', '--port', '0'], wide);
  let said = '';
  process.process.stdout?.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  await process.says(/foldmesh is up on http:\/\/0\.0\.0\.0:\d+ .*\n/);
  return { process, said, url: `http://127.0.0.1:${/0\.0\.0\.0:(\d+)/.exec(said)?.[1]}` };
};

const statusOf = async (url: string, key?: string): Promise<number> =>
  (await fetch(`${url}/v1/jobs`, { headers: keyHeader(key) })).status;

describe('foldmesh up, told to listen wider', () => {
  it('does not start without keys, and names the setting', async () => {
    await using at = await bench();
    const { code, err } = await at.run(['up', '--port', '0'], { FOLDMESH_API_ADDRESS: '0.0.0.0' });
    expect(code).toBe(2);
    expect(err).toBe(
      'FOLDMESH_API_ADDRESS: api.address: 0.0.0.0 can be reached from elsewhere, so callers need keys: set api.keys (FOLDMESH_API_KEYS)\n',
    );
  });

  it('makes the first key, tells it once, and lets nobody in without one', async () => {
    await using at = await bench();
    const first = await up(at);
    const key = /told only now: (fm_[0-9a-f]+_[0-9a-f]{64})\n/.exec(first.said)?.[1];
    expect([await statusOf(first.url), await statusOf(first.url, key)]).toEqual([401, 200]);
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
    first.process.process.kill('SIGTERM');
    expect((await first.process.ended).code).toBe(0);
    const second = await up(at);
    expect(second.said).not.toContain('fm_');
    expect([await statusOf(second.url), await statusOf(second.url, key)]).toEqual([401, 200]);
  });
});
