import { catalogueRoot, fail, fault, JobId, ok, TraceId } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import { silentMs } from '@foldmesh/runtime';
import { describe, expect, it } from 'vitest';
import { commandIdOf, sendCommand } from './http/send-command.ts';
import { body, echo, jobOf, stories, type TestApi, tenant } from './http/testing/test-api.ts';

const story = stories(it);

const away = fail(fault('unavailable', 'away', { retry_after_ms: 100 }));

/** A manager to which the index shows no offer for its first so many milliseconds: at its first look, and then as `answer` says. */
const blindFor =
  (ms: number, answer: Awaited<ReturnType<Ports['index']['list']>> = ok([])) =>
  (ports: Ports): Ports => {
    const until = ports.clock.now() + ms;
    let looks = 0;
    const list: Ports['index']['list'] = async (prefix) => {
      if (!prefix.startsWith(catalogueRoot) || ports.clock.now() >= until) return ports.index.list(prefix);
      looks += 1;
      return looks === 1 ? ok([]) : answer;
    };
    return { ...ports, index: { ...ports.index, list } };
  };

const named = JobId.parse('straight');

/** As somebody may who has no API before them. */
const submitStraight = (api: TestApi, spec: ReturnType<typeof jobOf>) =>
  sendCommand(
    api,
    { type: 'job.submit', payload: { spec } },
    {
      tenant,
      job: named,
      id: commandIdOf('submit'),
      trace_id: TraceId.parse('a'.repeat(32)),
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    },
  );

const unknown = jobOf([{ id: 'a', skill: 'no.such' }]);

describe('a job whose names the manager does not find', () => {
  story(
    'waits while the manager’s view may be older than the offer, and is accepted',
    async (api) => {
      const response = await api.post('/v1/jobs', jobOf([echo('a')]));
      expect(response.status).toBe(202);
      expect(await api.ended((await body(response)).id)).toMatchObject({ status: 'completed' });
    },
    { managerPorts: blindFor(3_000) },
  );

  story('is refused for good once whoever offers them would have said so since', async (api) => {
    await submitStraight(api, unknown);
    await api.clock.sleep(silentMs - 1_000);
    expect((await api.get(`/v1/jobs/${named}`)).status).toBe(404);
    await api.clock.sleep(3_000);
    expect(await api.ended(named)).toMatchObject({
      status: 'failed',
      end_reason: 'invalid',
      fault: { detail: expect.stringContaining('no skill no.such is offered') },
    });
  });

  story(
    'is not refused by a manager that cannot read what is offered, however old it is',
    async (api) => {
      await submitStraight(api, jobOf([echo('a')]));
      expect(await api.ended(named)).toMatchObject({ status: 'completed' });
    },
    { managerPorts: blindFor(2 * silentMs, away) },
  );

  story('is refused at once for what no pool can mend', async (api) => {
    await submitStraight(api, jobOf([{ id: 'a', skill: 'no.such', depends_on: ['b'] }]));
    await api.clock.sleep(1_000);
    expect(await api.ended(named)).toMatchObject({
      fault: { detail: expect.stringContaining('depends on b, which is no task of the plan') },
    });
  });
});
