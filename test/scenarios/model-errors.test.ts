import { fail, type Json } from '@foldmesh/envelope';
import type { Model } from '@foldmesh/ports';
import { describe, expect } from 'vitest';
import { agentOf, agentTask, answer, overheard, plays } from './agents.ts';
import { allComplete, ends, everyJobEnds, noDeadLetters, stateOf } from './checks.ts';
import type { Check, Ending } from './ending.ts';
import type { Setup } from './mesh.ts';
import { scenario } from './scenario.ts';
import { jobOf } from './specs.ts';

interface Said {
  readonly status: number;
  readonly retry_after_ms?: number;
}

/** A provider that answers with these statuses, the last of them for ever; with `then` it recovers after them instead. */
const provider = (said: readonly Said[], then?: Model): ReturnType<typeof overheard> => {
  let asked = 0;
  return overheard({
    async reply(request, ...more) {
      const next = said[asked] ?? (then === undefined ? said.at(-1) : undefined);
      asked += 1;
      const model = next === undefined ? then : plays([{ fault: { ...next } }]);
      return model?.reply(request, ...more) ?? fail({ kind: 'invalid', detail: 'no model' });
    },
  });
};

/** It takes a request and never says anything; `deaf`: also not when it is told to stop. */
const silent = (deaf = false): Model => ({
  reply: (_, signal) =>
    new Promise((resolve) => {
      const stopped = () => resolve(fail({ kind: 'unavailable', detail: 'aborted' }));
      if (!deaf) signal.addEventListener('abort', stopped, { once: true });
    }),
});

const job = (attempts: number, wall_ms = 600_000): Json =>
  jobOf([{ ...agentTask(), retry: { attempts } }], { budget: { wall_ms } });
const setupOf = ({ model }: { readonly model: Model }): Setup => ({ agents: [agentOf()], model });

/** How often the worker was handed the question, and how often it gave it back. */
const deliveries = ({ calls }: Ending): readonly [claims: number, handBacks: number] => {
  const count = (name: string): number =>
    calls.filter(({ service, call }) => service === 'worker-1' && call === name).length;
  return [count('inbox.claim'), count('delivery.nak')];
};

const tookMs = (ending: Ending): number => {
  const { accepted_at = 0, ended_at = 0 } = stateOf(ending);
  return ended_at - accepted_at;
};

const failsWith =
  (kind: string, ...words: readonly string[]): Check =>
  (ending) => {
    const { fault, tasks } = stateOf(ending);
    expect([fault?.kind, tasks[0]?.fault?.kind]).toEqual([kind, kind]);
    for (const word of words) expect(fault?.detail).toContain(word);
  };

describe('C068: an error of the model that cannot get better', () => {
  const kinds = {
    400: 'invalid',
    401: 'refused',
    403: 'refused',
    404: 'invalid',
    413: 'overflow',
    422: 'invalid',
  };

  for (const [status, kind] of Object.entries(kinds)) {
    const heard = provider([{ status: Number(status) }], plays([answer(1)]));
    scenario(`${status} ends the task after one request, whatever its attempts are`, setupOf(heard))
      .submit(job(5))
      .run()
      .expect(
        everyJobEnds,
        noDeadLetters,
        ends('job-1', 'failed', 'failed'),
        failsWith(kind, `answered ${status}`),
        (ending) => {
          expect(heard.requests).toHaveLength(1);
          expect(deliveries(ending)).toEqual([1, 0]);
          expect(stateOf(ending)).toMatchObject({ model_calls: 1, tasks: [{ attempt: 1 }] });
        },
      );
  }
});

describe('C068: an error of the model that may pass', () => {
  for (const status of [408, 409, 429, 500, 529]) {
    const once = provider([{ status }], plays([answer(1)]));
    scenario(`${status} once is asked again, and nobody hears of it`, setupOf(once))
      .submit(job(1))
      .run()
      .expect(everyJobEnds, allComplete, noDeadLetters, (ending) => {
        expect(once.requests).toHaveLength(2);
        expect(deliveries(ending)).toEqual([1, 0]);
      });

    const always = provider([{ status }]);
    scenario(`${status} for ever is asked three times, in one delivery`, setupOf(always))
      .submit(job(1))
      .run()
      .expect(
        everyJobEnds,
        noDeadLetters,
        failsWith(status === 429 ? 'throttled' : 'unavailable', `answered ${status}`),
        (ending) => {
          expect(always.requests).toHaveLength(3);
          expect(deliveries(ending)).toEqual([1, 0]);
        },
      );
  }

  const patient = provider([{ status: 429, retry_after_ms: 20_000 }]);
  scenario(
    'a model that wants to be asked later each time is asked then, and three times in all',
    setupOf(patient),
  )
    .submit(job(1))
    .run()
    .expect(everyJobEnds, noDeadLetters, failsWith('throttled', 'answered 429'), (ending) => {
      expect(patient.requests).toHaveLength(3);
      expect(deliveries(ending)).toEqual([3, 2]);
      expect(tookMs(ending)).toBeGreaterThanOrEqual(40_000);
    });

  const late = { status: 429, retry_after_ms: 20_000 };
  const worst = provider([{ status: 503 }, { status: 503 }, late, { status: 503 }, late, late]);
  scenario('six requests are the most that one question can come to', setupOf(worst))
    .submit(job(1))
    .run()
    .expect(everyJobEnds, noDeadLetters, failsWith('throttled'), (ending) => {
      expect(worst.requests).toHaveLength(6);
      expect(deliveries(ending)).toEqual([3, 2]);
    });

  const tooLate = provider([{ status: 503, retry_after_ms: 120_000 }]);
  scenario(
    'a wait beyond the end of the job is none: it fails at once, with what the model said',
    setupOf(tooLate),
  )
    .submit(job(1, 60_000))
    .run()
    .expect(everyJobEnds, failsWith('unavailable', 'answered 503'), (ending) => {
      expect(tooLate.requests).toHaveLength(1);
      expect(deliveries(ending)).toEqual([1, 0]);
      expect(tookMs(ending)).toBeLessThan(2_000);
    });
});

describe('C067: retries inside retries', () => {
  const wallMs = 60_000;

  const busy = provider([{ status: 503 }]);
  scenario(
    '503 for ever, under a task with many attempts: three requests each, and the last error',
    setupOf(busy),
  )
    .submit(job(100, wallMs))
    .run()
    .expect(everyJobEnds, noDeadLetters, failsWith('unavailable', 'answered 503'), (ending) => {
      const { attempt = 0 } = stateOf(ending).tasks[0] ?? {};
      expect(attempt).toBeGreaterThan(1);
      expect(busy.requests).toHaveLength(3 * attempt);
      expect(deliveries(ending)).toEqual([attempt, 0]);
      expect(tookMs(ending)).toBeLessThanOrEqual(wallMs + 2_000);
    });

  for (const deaf of [false, true]) {
    const never = overheard(silent(deaf));
    scenario(
      `no answer for ever${deaf ? ', also to an abort' : ''}: one request, and the job ends in time`,
      setupOf(never),
    )
      .submit(job(1, wallMs))
      .run()
      .expect(everyJobEnds, noDeadLetters, failsWith('unanswered', 'no answer within 58500 ms'), (ending) => {
        expect(never.requests).toHaveLength(1);
        expect(deliveries(ending)).toEqual([1, 0]);
        expect(Math.abs(tookMs(ending) - wallMs)).toBeLessThanOrEqual(2_000);
      });
  }

  const slow = overheard(silent());
  scenario('where there is time a try that timed out is a try, and the next has what is left', setupOf(slow))
    .submit(job(1, 3_600_000))
    .run()
    .expect(everyJobEnds, noDeadLetters, failsWith('unanswered', 'no answer within'), (ending) => {
      expect(slow.requests).toHaveLength(2);
      expect(deliveries(ending)).toEqual([1, 0]);
      expect(tookMs(ending)).toBeLessThanOrEqual(600_000 + 2_000);
    });

  const worse = provider([{ status: 503 }, { status: 503 }, { status: 503 }], silent());
  scenario(
    '503, and after another attempt no answer: the job ends in time with the last error',
    setupOf(worse),
  )
    .submit(job(2, wallMs))
    .run()
    .expect(everyJobEnds, noDeadLetters, failsWith('unanswered', 'no answer within'), (ending) => {
      expect(worse.requests).toHaveLength(4);
      expect(deliveries(ending)).toEqual([2, 0]);
      expect(Math.abs(tookMs(ending) - wallMs)).toBeLessThanOrEqual(2_000);
    });
});
