import type { FoldmeshClient } from '@foldmesh/client';
import type { JobRecord } from '@foldmesh/job';

/** The record with all its tasks, however many pages they have. */
export const wholeRecord = async (client: FoldmeshClient, job: string): Promise<JobRecord> => {
  const record = await client.get(job);
  const tasks = [...record.tasks];
  for (let page = record; page.links['tasks_next'] !== undefined; ) {
    const tasks_after = tasks.at(-1)?.id;
    if (tasks_after === undefined) break;
    page = await client.get(job, { tasks_after });
    tasks.push(...page.tasks);
  }
  const { tasks_next: _, ...links } = record.links;
  return { ...record, tasks, links };
};
