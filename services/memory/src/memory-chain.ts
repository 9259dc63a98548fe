import { type Envelope, type Fault, fail, fault, type Json, ok, type Result } from '@foldmesh/envelope';
import type { Fact, FactQuery, Memory } from '@foldmesh/ports';
import {
  type Call,
  chain,
  type Handler,
  type Host,
  logCall,
  retry,
  timeout,
  traceCall,
} from '@foldmesh/runtime';
import { factOverflow, type Recalled, type Recollection, type Remembered } from '@foldmesh/sdk';

export type MemoryType = 'memory.write' | 'memory.query';

/** Facts that a query gives when it does not say how many. */
const limitDefault = 10;

/** What one try may take. */
const tryMs = 5_000;

/**
 * Outermost first: log, trace, what a store that stays away means, retry, one timeout per try, the store. Whose the fact
 * is, and whose are searched, the key alone says: nothing in a payload names a tenant or a job.
 */
export const memoryChain = (
  { ports, settings }: Host,
  memory: Memory,
): Handler<Envelope<MemoryType>, Json> => {
  const { clock, random, log } = ports;
  const name = ({ type }: Envelope<MemoryType>): string => type;
  return chain<Envelope<MemoryType>, Json>(
    [
      logCall(log, clock, name),
      traceCall(name),
      handedBack,
      retry(clock, random),
      timeout(
        clock,
        () => tryMs,
        () => true,
        settings.abortGraceMs,
      ),
    ],
    (envelope, call) =>
      envelope.type === 'memory.write' ? write(memory, envelope, call) : query(memory, envelope, call),
  );
};

const write = async (
  memory: Memory,
  { payload }: Envelope<'memory.write'>,
  { tenant, job, key, since }: Call,
): Promise<Result<Json>> => {
  const overflow = factOverflow(payload);
  if (overflow !== undefined) return fail(overflow);
  const { text, tags = [], data } = payload;
  // The time of the first send: every copy of a write makes the very same fact.
  const fact: Fact = { id: key, tenant, job, text, tags, at: since, ...(data !== undefined && { data }) };
  const written = await memory.write(fact);
  if (!written.ok) return written;
  const answer: Remembered = { id: key, duplicate: written.value.duplicate };
  return ok(answer);
};

const query = async (
  memory: Memory,
  { payload }: Envelope<'memory.query'>,
  { tenant, job }: Call,
): Promise<Result<Json>> => {
  const { text, tags, this_job = false, limit = limitDefault } = payload;
  const asked: FactQuery = {
    tenant,
    limit,
    ...(this_job && { job }),
    ...(text !== undefined && { text }),
    ...(tags !== undefined && { tags }),
  };
  const found = await memory.query(asked);
  if (!found.ok) return found;
  const answer: Recollection = { facts: found.value.map(recalledOf) };
  return ok(answer as Json); // its optional fields are absent, never undefined
};

const recalledOf = ({ text, tags, data, job, at }: Fact): Recalled => ({
  text,
  tags,
  ...(data !== undefined && { data }),
  job,
  at,
});

/**
 * A store that is away is no answer: the message goes back and waits with its caller, until the deadline. So long a wait
 * is the host's (it hands back above two seconds), and nothing was taken on that may not be done again.
 */
const handedBack =
  (next: Handler<Envelope<MemoryType>, Json>): Handler<Envelope<MemoryType>, Json> =>
  async (envelope, call) => {
    const result = await next(envelope, call);
    return result.ok || result.fault.retry_after_ms === undefined ? result : fail(awayFault(result.fault));
  };

const awayMs = 3_000;

const awayFault = ({ detail, source = 'memory', retry_after_ms = 0 }: Fault): Fault =>
  fault('unavailable', detail, { source, retry_after_ms: Math.max(awayMs, retry_after_ms) });
