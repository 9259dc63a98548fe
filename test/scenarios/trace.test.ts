import { spanSink } from '@foldmesh/runtime/internal';
import { describe, expect, it } from 'vitest';
import { allComplete, everyJobEnds } from './checks.ts';
import { publish, rawMessage } from './raw.ts';
import { play, submitJob } from './scenario.ts';
import { book, jobOf, look } from './specs.ts';

const slow = book('a', 'keyed', { input: { ms: 2_000 } });
const job = jobOf([slow, { id: 'b', skill: 'debug.echo', input: look('tasks.a.output') }], {
  split: 'always',
});

describe('one job is one trace (M7)', () => {
  it('from its submit to its last tool call, whatever else comes in under another id', async () => {
    using sink = spanSink();
    const ending = await play(
      { workers: 2 },
      [
        (run) => submitJob(run, job),
        (run) => run.clock.sleep(500),
        // Brings nothing new, and so has everything sent again.
        async (run) => {
          const raw = { job: 'job-1', task: '_job', trace: 'stranger' };
          expect(await publish(run, rawMessage(run, 'timer.fire', { due: run.clock.now() }, raw))).toBe(
            false,
          );
        },
        (run) => run.clock.sleep(10_000),
      ],
      1,
    );
    everyJobEnds(ending);
    allComplete(ending);
    const { state } = ending.jobs.get('job-1') ?? {};
    expect([...new Set(sink.spans.map(({ context }) => context.traceId))]).toEqual([state?.trace_id]);
    expect(sink.named('decide').length).toBe(4);
    expect(sink.spans.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'process mesh.v1.{tenant}.work.worker.default.call',
        'run tool witness.keyed',
        'process mesh.v1.{tenant}.work.tool-gateway.default.call',
        'execute_tool witness.keyed',
        'run skill debug.echo',
      ]),
    );
    // Everything that began has ended, once.
    expect(sink.spans.filter(({ ends }) => ends !== 1)).toEqual([]);
    // What was asked hangs below what asked it; only what came from outside, without a span of its own, does not.
    const ids = new Set(sink.spans.map(({ context }) => context.spanId));
    const tops = sink.spans.filter(({ parent }) => parent === undefined || !ids.has(parent.spanId));
    expect(tops.map(({ name }) => name)).toEqual(['decide acme/job-1', 'decide acme/job-1']);
  });
});
