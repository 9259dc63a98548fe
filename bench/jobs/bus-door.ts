import { type JobId, jobTask, keyOf, seal, shardOf, TenantId, traceIdFrom } from '@foldmesh/envelope';
import { openJetStream } from '@foldmesh/jetstream';
import { systemClock, systemRandom } from '@foldmesh/system';

const tenant = TenantId.parse('local');
const endMs = 30_000;

/** Submits as the API does, without its HTTP, and hears of the end as soon as the journal has it. */
export const busDoor = async (
  url: string,
  spec: unknown,
): Promise<AsyncDisposable & { job(): Promise<void> }> => {
  const opened = await openJetStream(
    { url, name: 'bench', clock: systemClock, log: () => undefined },
    AbortSignal.timeout(20_000),
  );
  if (!opened.ok) throw new Error(opened.fault.detail);
  const { bus } = opened.value;
  const waiting = new Map<string, (entry: string) => void>();
  const listening = bus.listen(`mesh.v1.${tenant}.journal.*.job`, (entry, subject) => {
    const hear = waiting.get(subject.split('.')[4] ?? '');
    if (hear === undefined) return;
    const text = Buffer.from(entry).toString();
    if (/"kind":"job-(completed|failed|cancelled|refused)"/.test(text)) hear(text);
  });
  return {
    job: async () => {
      const job = `j-${systemRandom.hex(16)}` as JobId; // a token
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      waiting.set(job, resolve);
      const timer = setTimeout(() => reject(new Error(`${job} did not end`)), endMs);
      const at = systemClock.now();
      const key = keyOf({
        tenant,
        job,
        task: jobTask,
        round: 1,
        step: '0',
        call: `c-${systemRandom.hex(16)}`,
      });
      const { message } = seal(
        {
          type: 'job.submit',
          to: { service: 'manager', pool: shardOf(job) },
          key,
          attempt: 1,
          payload: { spec: spec as never }, // JSON, as it is written beside
        },
        { sender: 'manager', at, since: at, epoch: 0, trace_id: traceIdFrom(job) },
      );
      const sent = await bus.publish(message);
      if (!sent.ok) throw new Error(sent.fault.detail);
      const entry = await promise;
      clearTimeout(timer);
      waiting.delete(job);
      if (!entry.includes('"kind":"job-completed"')) throw new Error(`it did not complete: ${entry}`);
    },
    [Symbol.asyncDispose]: async () => {
      await listening[Symbol.asyncDispose]();
      await opened.value[Symbol.asyncDispose]();
    },
  };
};
