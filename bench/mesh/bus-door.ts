import {
  type JobId,
  type Json,
  jobTask,
  journalOf,
  keyOf,
  seal,
  shardOf,
  TenantId,
  traceIdFrom,
} from '@foldmesh/envelope';
import { type JetStreamPorts, openJetStream } from '@foldmesh/jetstream';
import { eventsOf, readEntry } from '@foldmesh/runtime';
import { systemClock, systemRandom } from '@foldmesh/system';

/** The tenant of every job that is measured. */
export const benchTenant = TenantId.parse('local');
const endMsDefault = 30_000;

/** Submits as the API does, without its HTTP, and hears of what happens as soon as the journal has it. */
export interface BusDoor extends AsyncDisposable {
  readonly ports: JetStreamPorts;
  /** Runs a job to its end; throws where it does not complete. */
  run(spec: unknown, withinMs?: number): Promise<JobId>;
  /** Submits a job, and resolves with its first entry. */
  accept(spec: unknown): Promise<JobId>;
}

export const busDoor = async (url: string): Promise<BusDoor> => {
  const opened = await openJetStream(
    { url, name: 'bench', clock: systemClock, log: () => undefined },
    AbortSignal.timeout(20_000),
  );
  if (!opened.ok) throw new Error(opened.fault.detail);
  const ports = opened.value;
  const waiting = new Map<string, (entry: Uint8Array, subject: string) => void>();
  const listening = ports.bus.listen(`mesh.v1.${benchTenant}.journal.*.job`, (entry, subject) =>
    waiting.get(subject.split('.')[4] ?? '')?.(entry, subject),
  );
  const until = async (
    spec: unknown,
    words: RegExp,
    withinMs: number,
  ): Promise<{ readonly job: JobId; readonly word: string }> => {
    const job = `j-${systemRandom.hex(16)}` as JobId; // a token
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    waiting.set(job, (entry, subject) => {
      wordIn(ports, entry, subject, words).then((word) => word !== undefined && resolve(word), reject);
    });
    const timer = setTimeout(() => reject(new Error(`${job} was not heard of in ${withinMs} ms`)), withinMs);
    try {
      const [word] = await Promise.all([promise, submit(ports, job, spec)]);
      return { job, word };
    } finally {
      clearTimeout(timer);
      waiting.delete(job);
    }
  };
  return {
    ports,
    run: async (spec, withinMs = endMsDefault) => {
      const { job, word } = await until(spec, /"kind":"job-(completed|failed|cancelled|refused)"/, withinMs);
      if (word !== 'completed') throw new Error(`${job} did not complete: ${word}`);
      return job;
    },
    accept: async (spec) => {
      const { job, word } = await until(spec, /"kind":"job-(accepted|refused)"/, endMsDefault);
      if (word !== 'accepted') throw new Error(`${job} was not accepted: ${word}`);
      return job;
    },
    [Symbol.asyncDispose]: async () => {
      await listening[Symbol.asyncDispose]();
      await ports[Symbol.asyncDispose]();
    },
  };
};

const submit = async ({ bus, blobs }: JetStreamPorts, job: JobId, spec: unknown): Promise<void> => {
  const at = systemClock.now();
  const { message, claim } = seal(
    {
      type: 'job.submit',
      to: { service: 'manager', pool: shardOf(job) },
      key: keyOf({
        tenant: benchTenant,
        job,
        task: jobTask,
        round: 1,
        step: '0',
        call: `c-${systemRandom.hex(16)}`,
      }),
      attempt: 1,
      payload: { spec: spec as Json }, // JSON, as the caller writes it
    },
    { sender: 'manager', at, since: at, epoch: 0, trace_id: traceIdFrom(job) },
  );
  if (claim !== undefined) {
    const kept = await blobs.put(benchTenant, job, claim);
    if (!kept.ok) throw new Error(kept.fault.detail);
  }
  const sent = await bus.publish(message);
  if (!sent.ok) throw new Error(sent.fault.detail);
};

/** What of these an entry says, or the blob with its events. */
const wordIn = async (
  ports: JetStreamPorts,
  bytes: Uint8Array,
  subject: string,
  words: RegExp,
): Promise<string | undefined> => {
  const text = Buffer.from(bytes).toString();
  // To parse every entry would be measured as the client's time.
  if (!text.includes('"events_ref":')) return words.exec(text)?.[1];
  const entity = journalOf(subject);
  if (entity === undefined) return undefined;
  const events = await eventsOf(
    { ...ports, clock: systemClock },
    entity,
    readEntry({ entity, seq: 0, entry: bytes }),
  );
  if (!events.ok) throw new Error(events.fault.detail);
  return words.exec(JSON.stringify(events.value))?.[1];
};
