import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childProcess, eventually, freePort } from '@foldmesh/testbed';
import { commandedChild } from '../measure/commanded-child.ts';
import { type JobContender, tasksPerJob } from './job-mesh.ts';
import { restateBinary } from './peers.ts';

const startMs = 60_000;

export interface RestateChoice {
  /** Whether its log is on disk before it acknowledges, as it is by default. */
  readonly synced: boolean;
}

/** A handler that calls ten others and joins their answers, in one process behind one server. */
export const restateJobs = ({ synced }: RestateChoice): JobContender => ({
  name: `Restate, 10 calls joined${synced ? '' : ', not synced'}`,
  durability: synced
    ? 'its default: one node, whose log is on RocksDB and synced before it acknowledges'
    : 'one node, whose log is on RocksDB and written before it acknowledges (`log-server.rocksdb-disable-wal-fsync = true`)',
  door: 'POST at its ingress, which answers with the result',
  open: async (_, nodeArguments) => {
    await using opened = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'foldmesh-restate-'));
    opened.defer(() => rm(folder, { recursive: true, force: true }));
    const [node, ingress, admin, port] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    const file = join(import.meta.dirname, 'restate-endpoint.ts');
    const endpoint = opened.use(await commandedChild('restate-endpoint', file, { port }, nodeArguments));
    const server = opened.use(
      await childProcess([restateBinary(), '--no-logo', '--listen-mode', 'tcp', '--base-dir', folder], {
        name: 'restate-server',
        cwd: folder,
        env: {
          PATH: process.env['PATH'],
          DO_NOT_TRACK: '1',
          RESTATE_DISABLE_TELEMETRY: 'true',
          RESTATE_LOG_FILTER: 'warn',
          RESTATE_LOG_SERVER__ROCKSDB_DISABLE_WAL_FSYNC: String(!synced),
          RESTATE_BIND_IP: '127.0.0.1',
          RESTATE_BIND_PORT: String(node),
          RESTATE_INGRESS__BIND_PORT: String(ingress),
          RESTATE_ADMIN__BIND_PORT: String(admin),
        },
      }),
    );
    const url = `http://127.0.0.1:${ingress}/jobs/ten`;
    await eventually(
      () => post(`http://127.0.0.1:${admin}/deployments`, { uri: `http://127.0.0.1:${port}` }),
      {
        withinMs: startMs,
        everyMs: 250,
      },
    );
    const job = async (): Promise<void> => {
      const { all } = (await post(url, {})) as { readonly all: readonly unknown[] }; // as the handler returns it
      if (all.length !== tasksPerJob) throw new Error(`a call joined ${all.length} tasks`);
    };
    await eventually(() => job(), { withinMs: startMs, everyMs: 250 });
    const held = opened.move();
    return {
      pids: { server: server.pid, handlers: endpoint.pid },
      job,
      [Symbol.asyncDispose]: () => held.disposeAsync(),
    };
  },
});

const post = async (url: string, body: unknown): Promise<unknown> => {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text);
};
