import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { type Actor, folderForTest, start } from './bootstrap/scene.ts';

// A checkout with nothing in it but the bootstrap, and an npm and a pnpm that only write down what they were asked. The
// machine's own PATH is left out, so that there is no pnpm but the one that was fetched.

const fakeNpm = `
  const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
  const prefix = process.argv[process.argv.indexOf('--prefix') + 1];
  appendFileSync(process.env.CALLS, 'npm ' + process.argv.at(-1) + '\\n');
  if (process.env.NPM_FAILS) { console.error('npm error code E1\\nnpm error ' + process.env.NPM_FAILS); process.exit(1); }
  mkdirSync(prefix + '/bin'); mkdirSync(prefix + '/lib');
  writeFileSync(prefix + '/bin/pnpm', process.env.FAKE_PNPM, { mode: 0o755 });
`;

const fakePnpm = `#!/bin/sh
[ "$1" = --version ] && { echo "\${PNPM_VERSION:-10.34.9}"; exit 0; }
echo "pnpm $1 $2" >>"$CALLS"
[ -n "\${PNPM_FAILS:-}" ] && { echo "$PNPM_FAILS"; exit 1; }
mkdir -p node_modules
`;

interface Checkout {
  readonly root: string;
  calls(): string[];
  bootstrap(words: readonly string[], env?: Readonly<Record<string, string>>, cwd?: string): Actor;
}

const checkout = (): Checkout => {
  const root = folderForTest();
  mkdirSync(join(root, 'tools'));
  for (const path of ['bootstrap', 'bootstrap.mjs']) {
    cpSync(join(import.meta.dirname, path), join(root, 'tools', path), { recursive: true });
  }
  writeFileSync(join(root, 'pnpm-workspace.yaml'), 'packages:\n  - packages/*\n');
  writeFileSync(join(root, 'pnpm-lock.yaml'), '');
  writeFileSync(join(root, 'npm-cli.js'), fakeNpm);
  const calls = join(root, 'calls');
  return {
    root,
    calls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').split('\n').slice(0, -1) : []),
    bootstrap: (words, env = {}, cwd = root) =>
      start([process.execPath, join(root, 'tools', 'bootstrap.mjs'), ...words], {
        cwd,
        env: {
          HOME: root,
          PATH: '/usr/bin:/bin',
          npm_execpath: join(root, 'npm-cli.js'),
          CALLS: calls,
          FAKE_PNPM: fakePnpm,
          ...env,
        },
      }),
  };
};

const exitsWith = ['exec', 'sh', '-c', 'echo "in $PWD"; exit 5'];

it('fetches and installs the first time, and neither the second', async () => {
  const { root, bootstrap, calls } = checkout();
  const first = bootstrap(exitsWith, {}, '/');
  expect(await first.ended).toBe(5);
  expect(first.said()).toContain(`in ${root}`);
  expect(calls()).toEqual(['npm pnpm@10.34.9', 'pnpm install --frozen-lockfile']);
  const second = bootstrap(exitsWith);
  expect(await second.ended).toBe(5);
  expect(second.said()).toBe(`in ${root}\n`);
  expect(calls()).toHaveLength(2);
});

it('installs again when a package.json changes, and leaves the tools alone', async () => {
  const { root, bootstrap, calls } = checkout();
  await bootstrap(exitsWith).ended;
  mkdirSync(join(root, 'packages', 'a'), { recursive: true });
  writeFileSync(join(root, 'packages', 'a', 'package.json'), '{}');
  expect(await bootstrap(exitsWith).ended).toBe(5);
  expect(calls().slice(2)).toEqual(['pnpm install --frozen-lockfile']);
});

it('lets two that start at once share the work of one', async () => {
  const { bootstrap, calls } = checkout();
  const both = [bootstrap(exitsWith), bootstrap(exitsWith)];
  expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([5, 5]);
  expect(calls()).toHaveLength(2);
});

it('replaces a pnpm that does not answer as it should', async () => {
  const { root, bootstrap, calls } = checkout();
  mkdirSync(join(root, '.tools', 'bin'), { recursive: true });
  writeFileSync(join(root, '.tools', 'bin', 'pnpm'), '#!/bin/sh\nexit 1\n');
  chmodSync(join(root, '.tools', 'bin', 'pnpm'), 0o755);
  expect(await bootstrap(exitsWith).ended).toBe(5);
  expect(calls()[0]).toBe('npm pnpm@10.34.9');
});

it('stops where a signal stops it, and lets go of the lock', async () => {
  const { root, bootstrap } = checkout();
  const actor = bootstrap(exitsWith, {
    FAKE_PNPM: fakePnpm.replace('mkdir -p', 'touch working; exec sleep 60; mkdir -p'),
  });
  await actor.says('installing');
  await vi.waitUntil(() => existsSync(join(root, 'working')), { interval: 20, timeout: 5000 });
  actor.kill('SIGTERM');
  expect(await actor.ended).toBe(143);
  expect(existsSync(join(root, '.tools', 'lock'))).toBe(false);
});

it.each([
  [
    { NPM_FAILS: 'request failed, reason: ENOTFOUND' },
    'npm could not fetch pnpm@10.34.9 (request failed, reason: ENOTFOUND)',
  ],
  [{ PNPM_VERSION: '11.0.0' }, 'pnpm 10.34.9 does not run on this machine'],
  [
    { PNPM_FAILS: ' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install' },
    'pnpm-lock.yaml does not fit the package.json files',
  ],
  [{ PNPM_FAILS: ' ERR_PNPM_META_FETCH_FAIL  GET failed' }, 'the first run needs the network'],
  [{ PNPM_FAILS: 'EACCES: permission denied' }, 'cannot be written by this user'],
])('says one sentence and ends with 1 on %j', async (env, sentence) => {
  const { bootstrap } = checkout();
  const actor = bootstrap(exitsWith, env);
  expect(await actor.ended).toBe(1);
  const lines = actor.said().trim().split('\n');
  expect(lines.filter((line) => !line.endsWith('…'))).toEqual([expect.stringContaining(sentence)]);
});

it('names its commands to whoever asks for another', async () => {
  const actor = checkout().bootstrap(['toString']);
  expect(await actor.ended).toBe(1);
  expect(actor.said()).toMatch(/^foldmesh: say what to do: .* demo \| foldmesh \| test \| .*\n$/);
});

const fakeNats = "#!/bin/sh\necho 'nats-server: v2.15.1'\n";

/** A PATH with no server on it, and an apt that never gets anything. */
const withoutServers = (root: string): string => {
  const bin = join(root, 'machine');
  mkdirSync(bin);
  symlinkSync('/bin/mkdir', join(bin, 'mkdir'));
  const fakeApt = '#!/bin/sh\necho "apt-get $4" >>"$CALLS"\necho "E: no network"\nexit 100\n';
  writeFileSync(join(bin, 'apt-get'), fakeApt, { mode: 0o755 });
  return bin;
};

it('says where the servers for tests lie, and of each that is missing what to do', async () => {
  const { root, bootstrap } = checkout();
  const env = { PATH: withoutServers(root), NATS_SERVER_BIN: join(root, 'nats') };
  writeFileSync(join(root, 'nats'), fakeNats, { mode: 0o755 });
  const actor = bootstrap(['servers'], env);
  expect(await actor.ended).toBe(1);
  expect(actor.said()).toContain(`nats-server 2.15.1 ${root}/nats\n`);
  expect(actor.said()).toMatch(
    /^foldmesh: there is no redis-server \(.+\); name one in REDIS_SERVER_BIN\.$/m,
  );
  expect(existsSync(join(root, 'node_modules'))).toBe(false);
});

it('runs the checks also where there are no servers, and does not seek them again each time', async () => {
  const { root, bootstrap, calls } = checkout();
  const env = { PATH: withoutServers(root) };
  mkdirSync(join(root, 'tools', 'check'));
  writeFileSync(join(root, 'tools', 'check', 'main.ts'), 'console.log(process.env.PATH, process.argv[2]);');
  const first = bootstrap(['check:all'], env);
  expect(await first.ended).toBe(0);
  expect(first.said()).toMatch(/:[^:]*\/\.tools\/servers\/bin check:all\n$/);
  const asked = calls().length;
  expect(await bootstrap(['check:all'], env).ended).toBe(0);
  expect(calls()).toHaveLength(asked);
  expect(await bootstrap(['servers'], env).ended).toBe(1);
  // Elsewhere than on Debian nobody is asked at all.
  if (calls().some((call) => call.startsWith('apt-get'))) expect(calls().length).toBeGreaterThan(asked);
});

it('needs no server to run foldmesh', async () => {
  const { root, bootstrap, calls } = checkout();
  const env = { PATH: withoutServers(root) };
  mkdirSync(join(root, 'packages', 'cli', 'src'), { recursive: true });
  writeFileSync(join(root, 'packages', 'cli', 'src', 'main.ts'), 'console.log(process.argv[2]);');
  const actor = bootstrap(['foldmesh', 'doctor'], env);
  expect(await actor.ended).toBe(0);
  expect(calls().filter((call) => call.startsWith('apt-get'))).toEqual([]);
});
