import { createServer } from 'node:http2';
import { obey } from '../measure/commanded-child.ts';
import { tasksPerJob } from './job-mesh.ts';
import { peer } from './peers.ts';

/** The part of Restate's SDK that is used here, as its version in `peers/` has it. */
interface Restate {
  service(definition: object): object;
  createEndpointHandler(settings: { readonly services: readonly object[] }): never;
  readonly RestatePromise: { all(promises: readonly unknown[]): Promise<readonly unknown[]> };
}
interface Context {
  serviceClient(service: { readonly name: string }): { echo(input: unknown): unknown };
}

// A process of Restate handlers: a task that echoes, and a job that calls ten of them and joins.
const { port } = JSON.parse(process.argv[2] ?? '') as { readonly port: number }; // as restate-jobs.ts writes it
const restate = peer<Restate>('@restatedev/restate-sdk');
const tasks = restate.service({
  name: 'tasks',
  handlers: { echo: async (_: Context, input: unknown) => input },
});
const jobs = restate.service({
  name: 'jobs',
  handlers: {
    ten: async (context: Context) => {
      const calls = Array.from({ length: tasksPerJob }, (_, at) =>
        context.serviceClient({ name: 'tasks' }).echo({ at }),
      );
      return { all: await restate.RestatePromise.all(calls) };
    },
  },
});
const server = createServer(restate.createEndpointHandler({ services: [tasks, jobs] }));
await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
await obey({});
server.close();
