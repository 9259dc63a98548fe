import { catalogueRoot, fault, JobId, type Result, shardOf } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import type { ApiCall } from './api-call.ts';
import { problem } from './problem.ts';

const noStore = { headers: { 'cache-control': 'no-store' } };

/** Of this process alone: an outage elsewhere must not restart it. */
export const livez = async (): Promise<Response> => Response.json({ status: 'live' }, noStore);

/** How long a port may take to say that it is there. Milliseconds. */
const portMs = 2_000;

/**
 * Whether it may be sent requests; if not, everything that keeps it from answering them. Of `remarks` somebody should
 * hear, but it works all the same.
 */
export const readyz = async (
  call: ApiCall,
  world: Ports,
  remarks: readonly string[] = [],
): Promise<Response> => {
  const away = await Promise.all(
    Object.entries(probesOf(call, world)).map(async ([port, ask]) => {
      const fault = await faultOf(world, ask);
      return fault === undefined ? [] : [{ path: [port], message: fault }];
    }),
  );
  const errors = [
    ...(call.draining.aborted ? [{ path: ['process'], message: 'it is about to end' }] : []),
    ...away.flat(),
  ];
  const { durability } = call;
  if (errors.length === 0)
    return Response.json(
      { status: 'ready', durability, ...(remarks.length > 0 && { reasons: remarks }) },
      noStore,
    );
  return problem(call, { status: 503, code: 'not_ready', title: 'It is not ready', retryAfterS: 1, errors });
};

type Probe = () => Promise<Result<unknown>>;

/** One question for each port, that changes nothing. */
const probesOf = (
  { tenant }: ApiCall,
  { bus, journal, inbox, index }: Ports,
): Readonly<Record<string, Probe>> => ({
  bus: () => bus.standing({ service: 'manager', pool: shardOf(probe), lane: 'submit' }),
  journal: () => journal.last({ tenant, job: probe }),
  inbox: () => inbox.generation(),
  index: () => index.list(catalogueRoot),
});

/** Asked for because it is not there: no client makes a job of this id. */
const probe = JobId.parse('readyz');

const faultOf = async ({ clock }: Ports, ask: Probe): Promise<string | undefined> => {
  const over = new AbortController();
  const late = clock
    .sleep(portMs, over.signal)
    .then((): Result<unknown> => ({ ok: false, fault: fault('unanswered', `no answer in ${portMs} ms`) }));
  try {
    const answer = await Promise.race([ask(), late]);
    return answer.ok ? undefined : answer.fault.detail;
  } finally {
    over.abort();
  }
};
