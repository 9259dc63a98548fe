import { indexedAt, indexRoot, isJsonObject } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';

/** How many jobs have not ended, whoever's they are, as far as the index knows. */
export const unfinishedJobs = async ({ index }: Pick<Ports, 'index'>): Promise<number> => {
  const listed = await index.list(indexRoot);
  if (!listed.ok) return 0;
  return listed.value.filter(({ subject, value }) => {
    const of = indexedAt(subject);
    return of !== undefined && of.run === undefined && isJsonObject(value) && value['ended'] === false;
  }).length;
};
