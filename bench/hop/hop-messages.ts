import {
  type JobId,
  keyOf,
  type PoolName,
  type Sealed,
  seal,
  TaskId,
  TenantId,
  traceIdFrom,
} from '@foldmesh/envelope';
import { systemClock } from '@foldmesh/system';

const tenant = TenantId.parse('local');

/** The one queue that is measured, and where its answers go. */
export const benchPool = 'bench' as PoolName; // a token

/** As long as a small request is. */
const words =
  'a hundred and sixty characters of what somebody wants to know about one of the packages here '.repeat(2);

/** The `index`th request of a job of its own: a tool call, as a run would send it. */
export const hopMessage = (job: string, index: number): Sealed =>
  seal(
    {
      type: 'tool.call',
      to: { service: 'tool-gateway', pool: benchPool },
      key: keyOf({
        tenant,
        job: job as JobId,
        task: TaskId.parse(`t${index}`),
        round: 1,
        step: '0',
        call: '0',
      }), // a token
      attempt: 1,
      payload: { tool: 'bench.echo', input: { index, words: words.slice(0, 160) } },
    },
    {
      sender: `worker.${benchPool}`,
      at: systemClock.now(),
      since: systemClock.now(),
      epoch: 0,
      trace_id: traceIdFrom(job),
    },
  ).message;

/** Where the bare hop takes from and gives to: subjects as long and as many as ours, in a stream of its own. */
export const bareSubject = (subject: string): string => subject.replace(/^mesh\./, 'bare.');

/** Where the answer to a request goes, of ours and of the bare hop. */
export const answerSubject = (subject: string): string =>
  subject
    .replace(`.tool-gateway.${benchPool}.call.`, `.worker.${benchPool}.decide.`)
    .replace('.tool-call.', '.tool-settle.');

export const bareStream = 'BARE_WORK';
export const bareConsumer = 'bare';
