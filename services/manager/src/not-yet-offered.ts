import { Digest, type Envelope, type Fault, fault, PoolName } from '@foldmesh/envelope';
import { type Catalogue, checkJob, sayProblem } from '@foldmesh/job';
import type { Clock } from '@foldmesh/ports';
import { silentMs } from '@foldmesh/runtime';
import type { CatalogueView } from './catalogue-view.ts';

/** What a job came to when it was held against what the pools offer. */
export type Checked = ReturnType<typeof checkJob>;

/** How long a job that lacks an offer waits before it is looked at again. Milliseconds. */
const lookAgainMs = 1_000;

/**
 * Checks a job, once more with what the pools offer now if it lacks something. The fault says that it is too early to
 * refuse it: a refusal stands for ever, so it rests on a reading from when all that served the mesh as the job came have said so since.
 */
export const checkedLately = async (
  { payload, created_at }: Envelope<'job.submit'>,
  catalogue: CatalogueView,
  clock: Clock,
): Promise<{ readonly checked: Checked; readonly tooEarly?: Fault }> => {
  const first = checkJob(payload, catalogue);
  if (!('problems' in first)) return { checked: first };
  const isEarly = clock.now() < created_at + silentMs;
  const read = await catalogue.refresh();
  const checked = checkJob(payload, catalogue);
  if (!('problems' in checked) || (read.ok && !isEarly) || isWrongAnyway(payload)) return { checked };
  const lacking = checked.problems.map(sayProblem).join('; ');
  return { checked, tooEarly: fault('unavailable', lacking, { retry_after_ms: lookAgainMs }) };
};

/** Whether something is wrong with a job that no pool can mend, whatever it may offer. */
export const isWrongAnyway = (payload: Parameters<typeof checkJob>[0]): boolean =>
  'problems' in checkJob(payload, everything);

const everything: Catalogue = {
  find: (kind, name) => ({ kind, name, ...somewhere }),
  names: () => [],
  slots: () => 1,
  pipelineProblems: () => [],
};
const somewhere = { pool: PoolName.parse('default'), digest: Digest.parse('0'.repeat(64)) };
