import { eventually, type RedisSettings } from '@foldmesh/testbed';
import { type BusDoor, busDoor } from '../mesh/bus-door.ts';
import { meshCounts } from '../mesh/mesh-counts.ts';
import { ourMesh } from '../mesh/our-mesh.ts';
import { type JobContender, tasksPerJob } from './job-mesh.ts';

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
      const mesh = opened.use(await ourMesh({ workers, slots, syncAlways, appendonly, nodeArguments }));
      const { nats, redis, pids, apiUrl } = mesh;
      const spec = specOf(split);
      const job = door === 'api' ? apiDoor(apiUrl, spec) : busJob(opened.use(await busDoor(nats.url)), spec);
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

const busJob = (door: BusDoor, spec: unknown) => async (): Promise<void> => {
  await door.run(spec);
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
