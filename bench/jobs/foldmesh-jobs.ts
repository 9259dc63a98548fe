import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort, natsServer, type RedisSettings, redisServer } from '@foldmesh/testbed';
import { busDoor } from './bus-door.ts';
import { type JobContender, tasksPerJob } from './job-mesh.ts';
import { meshCounts } from './mesh-counts.ts';
import { meshProcess } from './mesh-process.ts';

export interface FoldmeshChoice {
  readonly workers: number;
  readonly syncAlways?: boolean;
  readonly appendonly?: RedisSettings['appendonly'];
  /** Through the HTTP API, as users do, or by the command on the bus that the API itself would publish. */
  readonly door: 'api' | 'bus';
  readonly split: 'auto' | 'always';
}

/** A manager and workers as processes of their own. */
export const foldmeshJobs = (choice: FoldmeshChoice): JobContender => {
  const { workers, syncAlways = false, appendonly, door, split } = choice;
  return {
    name: `foldmesh, ${workers} worker${workers > 1 ? 's' : ''}, ${door}, split ${split}${syncAlways ? ', sync always' : ''}${appendonly ? `, AOF ${appendonly}` : ''}`,
    durability: `NATS ${syncAlways ? 'syncs before it acknowledges' : 'writes before it acknowledges and syncs every 2 min'}; Redis ${appendonly === undefined ? 'without append-only file' : `append-only file, synced ${appendonly}`}`,
    door:
      door === 'api'
        ? 'POST /v1/jobs, then its event stream to the end'
        : 'job.submit on the bus, its end in the journal',
    open: async (slots, nodeArguments) => {
      await using opened = new AsyncDisposableStack();
      const folder = await mkdtemp(join(tmpdir(), 'foldmesh-bench-'));
      opened.defer(() => rm(folder, { recursive: true, force: true }));
      const nats = opened.use(await natsServer({ syncAlways }));
      const redis = opened.use(await redisServer(appendonly === undefined ? {} : { appendonly }));
      const port = await freePort();
      const environment = {
        NATS_URL: nats.url,
        REDIS_URL: redis.url,
        FOLDMESH_LOG: 'warn',
        FOLDMESH_API_PORT: String(port),
        FOLDMESH_WORKER_SLOTS: String(slots),
      };
      const pids: Record<string, number> = { nats: nats.pid, redis: redis.pid };
      for (let worker = 1; worker <= workers; worker++) {
        const child = opened.use(await meshProcess('worker', environment, folder, nodeArguments));
        pids[`worker ${worker}`] = child.pid;
      }
      const manager = opened.use(await meshProcess('manager', environment, folder, nodeArguments));
      pids['manager'] = manager.pid;
      const spec = specOf(split);
      const job =
        door === 'api'
          ? apiDoor(`http://127.0.0.1:${port}`, spec)
          : opened.use(await busDoor(nats.url, spec)).job;
      // A manager reads what is offered once a second.
      await eventually(() => job(), { withinMs: 15_000, everyMs: 250 });
      const held = opened.move();
      return {
        pids,
        job,
        counts: () => meshCounts(nats, redis),
        [Symbol.asyncDispose]: () => held.disposeAsync(),
      };
    },
  };
};

const specOf = (split: string) => {
  const tasks = Array.from({ length: tasksPerJob }, (_, at) => ({
    id: `t${at}`,
    skill: 'debug.echo',
    input: { at },
  }));
  const merge = {
    id: 'merge',
    skill: 'debug.echo',
    input: { all: tasks.map(({ id }) => `\${tasks.${id}.output.at}`) },
  };
  return { name: 'ten', split, plan: { tasks: [...tasks, merge], result: '${tasks.merge.output}' } };
};

/** What people do: submit, then read the job's events until they end. */
const apiDoor = (url: string, spec: unknown) => async (): Promise<void> => {
  const submitted = await fetch(`${url}/v1/jobs`, { method: 'POST', body: JSON.stringify(spec) });
  const body = await submitted.text();
  if (submitted.status !== 202) throw new Error(`${submitted.status} ${body}`);
  const { links } = JSON.parse(body) as { readonly links: { readonly events: string } }; // as the API documents it
  const events = await (await fetch(`${url}${links.events}`)).text();
  if (!events.includes('event: job-completed'))
    throw new Error(`it did not complete: ${events.slice(-1_000)}`);
};
