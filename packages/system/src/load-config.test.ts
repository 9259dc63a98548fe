import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from './load-config.ts';

/** A folder with these files in it, and the folders `skills` and `other`. */
const scene = async (files: Readonly<Record<string, string>> = {}): Promise<string> => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'foldmesh-config-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const name of ['skills', 'other/skills']) await mkdir(join(folder, name), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
};

const load = async (folder: string, environment: Record<string, string> = {}, file?: string) => {
  const loaded = await loadConfig({ environment, folder, file });
  return 'problems' in loaded ? loaded.problems : loaded;
};

const configOf = async (folder: string, environment: Record<string, string> = {}, file?: string) => {
  const loaded = await loadConfig({ environment, folder, file });
  if ('problems' in loaded) throw new Error(loaded.problems.join('\n'));
  return loaded;
};

describe('loadConfig', () => {
  it('has a default for everything', async () => {
    const folder = await scene();
    const { config, settings } = await configOf(folder, { PATH: '/bin' });
    expect(config).toEqual({
      // Nobody named them: a folder that happens to be there is not ours to run.
      skills: undefined,
      tools: undefined,
      pipelines: undefined,
      agents: undefined,
      scripts: undefined,
      policies: undefined,
      files_root: folder,
      output: join(folder, 'out'),
      worker: { slots: 8 },
      gateway: { slots: 16 },
      log: 'warn',
      allow_exit: false,
      http: {},
      nats: { url: 'nats://127.0.0.1:4222', replicas: 1 },
      redis: { url: 'redis://127.0.0.1:6379' },
      durability: 'best-effort',
      pool: 'default',
      api: { address: '127.0.0.1', port: 8080 },
      health: { address: '127.0.0.1', port: 8081 },
      memory: { path: join(folder, 'memory.sqlite') },
      admission: { backlog_max: 10_000, door_max: 100_000 },
      ack_wait_ms: 6_000,
      grace_ms: 25_000,
    });
    expect(settings.every(({ from }) => from === 'default')).toBe(true);
  });

  it('takes the file over the defaults and the environment over the file, and says which', async () => {
    const folder = await scene({
      'foldmesh.yaml':
        'skills: ./skills\nworker:\n  slots: 4\ngateway: { slots: 5 }\nhttp:\n  allow: [example.com]\nlog: debug\n',
    });
    const environment = {
      FOLDMESH_WORKER_SLOTS: '2',
      FOLDMESH_LOG: 'error',
      FOLDMESH_ALLOW_EXIT: '1',
      FOLDMESH_OUTPUT: '',
      NATS_URL: 'nats://mesh:secret@nats:4222',
    };
    const { config, settings } = await configOf(folder, environment);
    expect(config).toMatchObject({
      worker: { slots: 2 },
      gateway: { slots: 5 },
      log: 'error',
      allow_exit: true,
      http: { allow: ['example.com'] },
    });
    expect(Object.fromEntries(settings.map(({ name, from }) => [name, from]))).toEqual({
      skills: 'foldmesh.yaml:1',
      tools: 'default',
      pipelines: 'default',
      agents: 'default',
      scripts: 'default',
      policies: 'default',
      files_root: 'default',
      output: 'default',
      'worker.slots': 'FOLDMESH_WORKER_SLOTS',
      'gateway.slots': 'foldmesh.yaml:4',
      log: 'FOLDMESH_LOG',
      allow_exit: 'FOLDMESH_ALLOW_EXIT',
      'http.allow': 'foldmesh.yaml:6',
      'nats.url': 'NATS_URL',
      'nats.monitor_url': 'default',
      'nats.replicas': 'default',
      'nats.journal_bytes_max': 'default',
      'nats.work_bytes_max': 'default',
      'redis.url': 'default',
      durability: 'default',
      pool: 'default',
      'api.address': 'default',
      'api.port': 'default',
      'api.keys': 'default',
      'health.address': 'default',
      'health.port': 'default',
      'memory.path': 'default',
      'admission.backlog_max': 'default',
      'admission.door_max': 'default',
      ack_wait_ms: 'default',
      grace_ms: 'default',
    });
    // It is printed, and who it lets in is not.
    expect(config.nats.url).toBe('nats://mesh:secret@nats:4222');
    expect(settings.find(({ name }) => name === 'nats.url')?.value).toBe('nats://***@nats:4222');
    expect(settings).toContainEqual({ name: 'gateway.slots', value: 5, from: 'foldmesh.yaml:4' });
  });

  it('takes a path from the file relative to the file, and one from a variable relative to the current folder', async () => {
    const folder = await scene({ 'other/mesh.yaml': 'skills: skills\noutput: ../results\n' });
    const named = await configOf(folder, { FOLDMESH_FILES_ROOT: 'other' }, 'other/mesh.yaml');
    expect(named.config).toMatchObject({
      skills: join(folder, 'other/skills'),
      tools: undefined,
      output: join(folder, 'results'),
      files_root: join(folder, 'other'),
    });
    const byVariable = await configOf(folder, { FOLDMESH_CONFIG: join(folder, 'other/mesh.yaml') });
    expect(byVariable.config.skills).toBe(join(folder, 'other/skills'));
    expect((await configOf(folder, {}, 'other/mesh.yaml')).config.files_root).toBe(folder);
  });

  it('reads a list and a switch from a variable', async () => {
    const folder = await scene();
    const { config } = await configOf(folder, {
      FOLDMESH_HTTP_ALLOW: 'example.com, *.cdn.net:8443',
      FOLDMESH_ALLOW_EXIT: 'false',
    });
    expect(config).toMatchObject({ http: { allow: ['example.com', '*.cdn.net:8443'] }, allow_exit: false });
  });

  it('takes an empty file, and one with comments only', async () => {
    expect((await configOf(await scene({ 'foldmesh.yaml': '' }))).config.log).toBe('warn');
    expect(await load(await scene({ 'foldmesh.yaml': '# nothing yet\n' }))).toHaveProperty(
      'config.log',
      'warn',
    );
  });

  it('names every unknown field with its line', async () => {
    const folder = await scene({ 'foldmesh.yaml': 'skils: ./skills\nworker:\n  slots: 4\n  slot: 5\n' });
    expect(await load(folder)).toEqual([
      'foldmesh.yaml:4: worker.slot: unknown field slot; did you mean slots?',
      'foldmesh.yaml:1: skils: unknown field skils; did you mean skills?',
    ]);
  });

  it.each([
    ['worker: { slots: many }', /^foldmesh\.yaml:1: worker\.slots: .*expected number/],
    ['worker: { slots: 0 }', /^foldmesh\.yaml:1: worker\.slots: /],
    ['log: loud', /^foldmesh\.yaml:1: log: .*"debug"/],
    ['http: { allow: ["https://example.com/"] }', /^foldmesh\.yaml:1: http\.allow\.0: a host is written as/],
    ['- skills', /^foldmesh\.yaml: .*expected object/],
    ['a: 1\na: 2', /^foldmesh\.yaml:2:1: the name "a" stands twice/],
    ['skills: ./skilz', /^foldmesh\.yaml:1: skills: there is no folder .*\/skilz$/],
  ])('says what is wrong with %j', async (text, problem) => {
    expect(await load(await scene({ 'foldmesh.yaml': text }))).toEqual([expect.stringMatching(problem)]);
  });

  it.each([
    ['FOLDMESH_WORKER_SLOTS', 'eight', /^FOLDMESH_WORKER_SLOTS: .*expected number/],
    ['FOLDMESH_WORKER_SLOTS', '0', /^FOLDMESH_WORKER_SLOTS: /],
    ['FOLDMESH_WORKER_SLOTS', '1e3', /^FOLDMESH_WORKER_SLOTS: .*expected number/],
    ['FOLDMESH_ALLOW_EXIT', 'yes', /^FOLDMESH_ALLOW_EXIT: .*expected boolean/],
    ['FOLDMESH_LOG', 'loud', /^FOLDMESH_LOG: /],
    ['FOLDMESH_TOOLS', 'none', /^FOLDMESH_TOOLS: tools: there is no folder .*\/none$/],
    [
      'FOLDMESH_SKILS',
      'x',
      /^FOLDMESH_SKILS: there is no such variable; there are FOLDMESH_CONFIG, FOLDMESH_SKILLS, /,
    ],
    ['FOLDMESH_CONFIG', 'gone.yaml', /^gone\.yaml: there is no such file$/],
    ['FOLDMESH_CONFIG', 'skills', /^skills cannot be read \(EISDIR\)$/],
  ])('says what is wrong with %s=%s', async (name, value, problem) => {
    expect(await load(await scene(), { [name]: value })).toEqual([expect.stringMatching(problem)]);
  });

  it.each([
    [{ FOLDMESH_API_ADDRESS: '0.0.0.0' }, 'FOLDMESH_API_ADDRESS'],
    [{ FOLDMESH_API_ADDRESS: '10.0.0.7', FOLDMESH_API_KEYS: '' }, 'FOLDMESH_API_ADDRESS'],
    [{ FOLDMESH_CONFIG: 'wide.yaml' }, 'wide.yaml:2'],
  ])('opens no API to others without keys: %o', async (environment, from) => {
    const folder = await scene({ 'wide.yaml': 'api:\n  address: mesh.example.com\n' });
    expect(await load(folder, environment)).toEqual([
      expect.stringMatching(
        `^${from}: api.address: .* can be reached from elsewhere, so callers need keys: set api.keys \\(FOLDMESH_API_KEYS\\)$`,
      ),
    ]);
  });

  it('opens it to this machine without keys, and to others with them', async () => {
    const folder = await scene({ 'foldmesh.yaml': 'api: { keys: keys/api.yaml }\n' });
    for (const FOLDMESH_API_ADDRESS of ['127.0.0.1', '127.0.0.2', 'localhost', '::1'])
      expect(await load(await scene(), { FOLDMESH_API_ADDRESS })).toHaveProperty('config');
    const { config } = await configOf(folder, { FOLDMESH_API_ADDRESS: '0.0.0.0' });
    expect(config.api).toEqual({ address: '0.0.0.0', port: 8080, keys: join(folder, 'keys/api.yaml') });
  });

  it('says all of it at once', async () => {
    const folder = await scene({ 'foldmesh.yaml': 'skills: ./skilz\n' });
    expect(await load(folder, { FOLDMESH_LOGS: 'x', FOLDMESH_LOG: 'loud' })).toHaveLength(3);
  });

  it("leaves the test tools' variables alone", async () => {
    expect(await load(await scene(), { FOLDMESH_TEST_SUMMARY: 'x' })).toHaveProperty('config');
  });
});
