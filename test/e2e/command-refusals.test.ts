import { eventually, freePort } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { bench } from './command-line.ts';
import { commandMesh, echoJob, jsonOf } from './command-mesh.ts';

describe('where the mesh is, and what it says no with', () => {
  it('says in one sentence that nothing can be reached, and ends with 3', async () => {
    await using at = await bench();
    await at.write('job.yaml', echoJob);
    const url = `http://127.0.0.1:${await freePort()}`;
    for (const args of [
      ['get', 'j-1'],
      ['watch', 'j-1'],
      ['events', 'j-1'],
      ['list'],
      ['submit', 'job.yaml'],
    ]) {
      const { code, out, err } = await at.run([...args, '--url', url]);
      expect([args[0], code, out]).toEqual([args[0], 3, '']);
      expect(err).toMatch(
        /^http:\/\/127\.0\.0\.1:\d+ cannot be reached \(.*ECONNREFUSED.*\): start it with `foldmesh up`/,
      );
      expect(err.trimEnd().split('\n')).toHaveLength(1);
    }
  });

  it('ends with 4 where there is no such job, and with 2 at an address or option that is none', async () => {
    await using at = await bench();
    const mesh = await commandMesh(at);
    for (const command of ['get', 'watch', 'events', 'cancel', 'why', 'journal', 'answer']) {
      const { code, out, err } = await mesh.run(command, 'j-nowhere');
      expect([command, code, out, err]).toEqual([
        command,
        4,
        '',
        `j-nowhere: There is no such job at ${mesh.url}\n`,
      ]);
    }
    const cases = [
      [
        ['list', '--url', 'nowhere'],
        /^--url wants an address like http:\/\/127\.0\.0\.1:8080, got "nowhere"$/,
      ],
      [['list', '--status', 'done'], /^--status done: there is no such status; there are queued, /],
      [['list', '--wait', 'answr'], /^--wait answr: there is no such reason to wait; there are call, /],
      [['new', 'skil', 'x'], /^there is no kind skil; there are skill, tool, agent, pipeline, job$/],
      [['list', '--limit', 'many'], /^--limit wants a number from 1 to 100000, got "many"$/],
      [['list', '--api-key-file', 'none'], /^--api-key-file none: it cannot be read \(ENOENT\)$/],
      [['list', '--jsn'], /^unknown option '--jsn'; did you mean --json\?$/],
      [['lst'], /^unknown command 'lst'; did you mean list\?$/],
      [['get'], /^missing required argument 'job'$/],
      [
        ['keys', 'create', '--role', 'king'],
        /^option '--role <role>' argument 'king' is invalid\. Allowed choices are /,
      ],
    ] as const;
    for (const [args, says] of cases) {
      const { code, out, err } = await mesh.run(...args);
      expect([args.join(' '), code, out]).toEqual([args.join(' '), 2, '']);
      expect(err.trimEnd()).toMatch(says);
    }
  });

  it('takes a key from the environment or a file, and ends with 5 without', async () => {
    await using at = await bench();
    await at.write('foldmesh.yaml', 'api: { keys: keys.yaml }\n');
    const made = await at.run(['keys', 'create', '--role', 'submit', '--note', 'a test', '--json']);
    const { id, key } = jsonOf(made);
    expect(jsonOf(await at.run(['keys', 'list', '--json']))).toMatchObject({
      keys: [{ id, role: 'submit', tenant: 'local', note: 'a test' }],
    });
    const mesh = await commandMesh(at);
    await at.write('key', `${key}\n`);
    expect(await mesh.run('list', '--api-key-file', 'key')).toEqual({ code: 0, out: '', err: 'no jobs\n' });
    expect((await mesh.run('list', '--api-key-file', 'key')).code).toBe(0);
    expect((await at.run(['list'], { FOLDMESH_URL: mesh.url, FOLDMESH_API_KEY: key })).code).toBe(0);
    const without = await mesh.run('list');
    expect([without.code, without.err]).toEqual([
      5,
      expect.stringMatching(/set FOLDMESH_API_KEY, or name its file/),
    ]);
    await at.write('wrong', 'fm_wrong\n');
    expect(await mesh.run('list', '--api-key-file', 'wrong')).toEqual({
      code: 5,
      out: '',
      err: `${mesh.url}: this key is unknown, revoked or expired\n`,
    });
    expect(await at.run(['keys', 'revoke', id])).toMatchObject({ code: 0, out: `revoked ${id}\n` });
    expect((await at.run(['keys', 'revoke', id])).code).toBe(4);
    await eventually(async () => expect((await mesh.run('list', '--api-key-file', 'key')).code).toBe(5));
    expect((await at.run(['keys', 'list'])).out).not.toContain(id);
  });

  it('says as JSON where it serves, and the first key where there was none', async () => {
    await using at = await bench();
    await at.write('foldmesh.yaml', 'api: { keys: keys.yaml }\n');
    const up = at.start(['up', '--port', '0', '--json']);
    await up.says(/"url"/);
    up.process.kill('SIGINT');
    const { code, out } = await up.ended;
    expect([code, JSON.parse(out)]).toEqual([
      0,
      {
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        durability: 'process',
        callers: expect.stringContaining('keys.yaml'),
        first_key: expect.stringMatching(/^fm_\w+$/),
      },
    ]);
  });
});
