import { obey } from '../measure/commanded-child.ts';
import { type BullGiven, type BullMq, queues } from './bull-mq.ts';
import { peer } from './peers.ts';

// A process of BullMQ workers: one for the tasks, one for the merges.
const { port, concurrency } = JSON.parse(process.argv[2] ?? '') as BullGiven; // as bullmq-jobs.ts writes it
const { Worker } = peer<BullMq>('bullmq');
const settings = { connection: { host: '127.0.0.1', port }, concurrency };
const tasks = new Worker(queues.tasks, async ({ data }) => data, settings);
const merges = new Worker(
  queues.merges,
  async (job) => ({ all: Object.values(await job.getChildrenValues()) }),
  settings,
);
await Promise.all([tasks.waitUntilReady(), merges.waitUntilReady()]);
await obey({});
await Promise.all([tasks.close(), merges.close()]);
