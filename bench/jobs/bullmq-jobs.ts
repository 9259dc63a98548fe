import { join } from 'node:path';
import { type RedisSettings, redisServer } from '@foldmesh/testbed';
import { commandedChild } from '../measure/commanded-child.ts';
import { type BullGiven, type BullMq, queues } from './bull-mq.ts';
import { type JobContender, tasksPerJob } from './job-mesh.ts';
import { peer } from './peers.ts';

export interface BullChoice {
  readonly workers: number;
  readonly appendonly?: RedisSettings['appendonly'];
}

/** Kept so that whoever waits for a job finds it; more of them would only fill the memory. */
const keptMax = 1_000;

/** A flow of ten children and their parent; each process of workers takes both. */
export const bullmqJobs = ({ workers, appendonly }: BullChoice): JobContender => ({
  name: `BullMQ flows, ${workers} worker${workers > 1 ? 's' : ''}${appendonly === undefined ? '' : `, AOF ${appendonly}`}`,
  durability: `Redis ${appendonly === undefined ? 'without persistence' : `append-only file, synced ${appendonly}`}`,
  door: 'FlowProducer.add, then waitUntilFinished',
  open: async (slots, nodeArguments) => {
    await using opened = new AsyncDisposableStack();
    const redis = opened.use(await redisServer(appendonly === undefined ? {} : { appendonly }));
    const pids: Record<string, number> = { redis: redis.pid };
    const given: BullGiven = { port: redis.port, concurrency: slots };
    for (let worker = 1; worker <= workers; worker++) {
      const file = join(import.meta.dirname, 'bull-worker.ts');
      const child = opened.use(await commandedChild(`bullmq ${worker}`, file, given, nodeArguments));
      pids[`worker ${worker}`] = child.pid;
    }
    const { FlowProducer, QueueEvents } = peer<BullMq>('bullmq');
    const connection = { host: '127.0.0.1', port: redis.port };
    const producer = new FlowProducer({ connection });
    // It listens once for each flow that is being added.
    producer.setMaxListeners(0);
    opened.defer(() => producer.close());
    const events = new QueueEvents(queues.merges, { connection });
    opened.defer(() => events.close());
    await events.waitUntilReady();
    const children = Array.from({ length: tasksPerJob }, (_, at) => ({
      name: 'echo',
      queueName: queues.tasks,
      data: { at },
      opts: { removeOnComplete: true }, // its own name for settings
    }));
    const job = async (): Promise<void> => {
      const flow = { name: 'merge', queueName: queues.merges, children, opts: { removeOnComplete: keptMax } };
      const added = await producer.add(flow);
      const { all } = (await added.job.waitUntilFinished(events)) as { readonly all: readonly unknown[] }; // as the merge returns it
      if (all.length !== tasksPerJob) throw new Error(`a flow merged ${all.length} tasks`);
    };
    const held = opened.move();
    return { pids, job, [Symbol.asyncDispose]: () => held.disposeAsync() };
  },
});
