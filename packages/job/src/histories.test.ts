import { catalogue, fingerprint, limits, positionOf } from '@foldmesh/envelope';
import { choices } from '@foldmesh/ports/internal';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jobDecider } from './decider.ts';
import type { JobEvent } from './events.ts';
import { jobLimits } from './job-limits.ts';
import { recordOf } from './record.ts';
import { standingOf } from './standing.ts';
import type { JobState } from './state.ts';
import { planOf, taskAt, taskIdOf, taskKeyOf } from './tasks.ts';
import { bookKeeping } from './testing/book-keeping.ts';
import { partsOf } from './testing/envelopes.ts';
import type { TestHost, Turn } from './testing/host.ts';
import { randomSpec } from './testing/random-plan.ts';
import { randomRun, type Watch } from './testing/random-run.ts';
import { testCatalogue } from './testing/test-catalogue.ts';
import { taskOf } from './testing/worker-side.ts';
import { jobEnded, type TaskStatus, taskEnded } from './transitions.ts';

const tapes = fc.noBias(fc.array(fc.nat(9_999), { maxLength: 1_500, size: 'max' }));
const decider = jobDecider(testCatalogue());

/** Many histories take a while where others are at work. */
const holds = (law: string, proof: () => void): void => test(law, { timeout: 60_000 }, proof);

/** Plays random jobs, each watched by a watcher of its own; `atEnd` sees how it ended. */
const inEveryHistory = (watcher: () => Watch, atEnd: (host: TestHost) => void = () => {}): void =>
  fc.assert(
    fc.property(tapes, (tape) => {
      const draw = choices(tape);
      atEnd(randomRun(decider, randomSpec(draw), draw, watcher()));
    }),
    // To see a failing tape shrunk, take `endOnFailure` off: that may take minutes.
    { numRuns: 200, seed: 20_261, endOnFailure: true },
  );

holds('what is in flight is what all events asked, less what was answered', () => {
  inEveryHistory(() => {
    const books = bookKeeping();
    let position = 0;
    return ({ state }, { events }) => {
      for (const event of events) books.add(event, position++);
      const wanted = books.next().map(({ asked, tasks }) => ({
        asked,
        tasks: tasks?.map((ordinal) => taskKeyOf(state, ordinal)),
      }));
      const effects = [...decider.next(state)];
      const told = effects.map(({ draft, asked }) => ({
        asked,
        tasks: draft.type === 'task.assign' ? draft.payload.tasks.map(({ key }) => key) : undefined,
      }));
      expect(told).toEqual(wanted);
      // And from an event on: that part of it.
      const from = Math.floor(position / 2);
      expect([...decider.next(state, from)]).toEqual(effects.filter(({ asked }) => asked >= from));
    };
  });
});

holds('M1: every job reaches exactly one terminal state, and everything after it changes nothing', () => {
  const ends = new Map<string, number>();
  inEveryHistory(
    () =>
      (host, { events }) => {
        const terminal = host.log.filter(({ kind }) =>
          /^job-(completed|failed|cancelled|refused)$/.test(kind),
        );
        if (terminal.length === 0) return;
        expect(terminal).toHaveLength(1);
        expect(host.log.at(-1)).toBe(terminal[0]);
        if (!events.includes(terminal[0] as JobEvent)) expect(events).toEqual([]);
      },
    ({ state }) => {
      ends.set(`${state.end_reason}`, (ends.get(`${state.end_reason}`) ?? 0) + 1);
      expect(decider.ended(state)).toBe(true);
      expect(decider.wakeAt(state)).toBeUndefined();
      const { open, ready, retries, to_expand, to_skip, to_join } = state;
      expect([open, ready, retries, to_expand, to_skip, to_join].flat()).toEqual([]);
    },
  );
  expect([...ends.keys()].toSorted()).toEqual([
    'cancelled',
    'deadline',
    'empty',
    'failed',
    'goal',
    'invalid',
    'unknown',
  ]);
});

holds(
  'M4: states add up to the plan, held tasks to the open assignments, and none runs under an ended job',
  () => {
    inEveryHistory(() => ({ state }) => {
      if (state.status === undefined) return;
      const children = state.tasks.reduce((sum, { group }) => sum + (group?.count ?? 0), 0);
      expect(state.tasks).toHaveLength(state.plan.length + children);
      expect(state.left).toBe(state.tasks.filter(({ status }) => !taskEnded(status)).length);
      if (jobEnded(state.status)) expect(state.tasks.filter(({ status }) => !taskEnded(status))).toEqual([]);
      else {
        const out = state.tasks.flatMap(({ held }, ordinal) => (held === undefined ? [] : [ordinal]));
        const left = state.open.flatMap((open) =>
          open.tasks.filter((ordinal) => isSame(taskAt(state, ordinal).held, open)),
        );
        expect(left.toSorted((a, b) => a - b)).toEqual(out);
        for (const open of state.open) expect(open.left).toBe(open.tasks.length);
        for (const ordinal of out) expect(taskAt(state, ordinal).status).toBe('running');
      }
      for (const { group } of state.tasks)
        if (group !== undefined)
          expect(group.ended).toBe(
            state.tasks.slice(group.base, group.base + group.count).filter(({ status }) => taskEnded(status))
              .length,
          );
    });
  },
);

const isSame = (
  held: { step: number; call: number } | undefined,
  open: { step: number; call: number },
): boolean => held?.step === open.step && held.call === open.call;

holds(
  'M10: a job that has not ended is out with something or has a wake-up, and then it owes something',
  () => {
    inEveryHistory(() => ({ state }, { at }) => {
      if (decider.ended(state)) return;
      const wake = decider.wakeAt(state);
      expect(state.open.length + state.retries.length).toBeGreaterThan(0);
      expect(wake).toBeGreaterThan(at);
      expect(decider.follow(state, wake ?? at)).not.toEqual([]);
      expect(decider.follow(state, (wake ?? at) - 1)).toEqual([]);
      for (const { status, wait, id } of recordOf(state, at, 'best-effort').tasks)
        expect(wait === undefined, `${id} is ${status}`).toBe(taskEnded(status));
    });
  },
);

holds('a task keeps its key and each completion what it brought, and an assignment its fingerprint', () => {
  inEveryHistory(() => {
    const keys = new Map<number, string>();
    const outputs = new Map<number, unknown>();
    const prints = new Map<string, string>();
    const stays = <K, V>(known: Map<K, V>, key: K, value: V): void => {
      if (known.has(key)) expect(value).toEqual(known.get(key));
      known.set(key, value);
    };
    return ({ state }, { events }) => {
      for (const event of events) if (event.kind === 'task-completed') outputs.set(event.task, event.output);
      state.tasks.forEach((task, ordinal) => {
        if (task.step !== undefined) stays(keys, ordinal, `${taskKeyOf(state, ordinal)}`);
        if (outputs.has(ordinal))
          expect([task.status, task.output]).toEqual(['completed', outputs.get(ordinal)]);
      });
      expect(new Set(keys.values()).size).toBe(keys.size);
      for (const { draft } of decider.next(state)) {
        expect(catalogue[draft.type].payload.safeParse(draft.payload).error).toBeUndefined();
        stays(prints, `${draft.type} ${draft.key}`, fingerprint(draft.type, draft.payload));
        // Each task is claimed under its own key, whatever company it travels in.
        if (draft.type === 'task.assign')
          for (const part of draft.payload.tasks)
            stays(prints, `part ${part.key}`, fingerprint('task.assign', { tasks: [part] }));
      }
    };
  });
});

holds('what a job is out with stands open in its journal, under each name that a host may ask by', () => {
  inEveryHistory(() => ({ state }) => {
    if (state.status === undefined) return;
    for (const { draft, asked } of decider.next(state)) {
      const parts = draft.type === 'task.assign' ? partsOf(draft.payload, draft.attempt) : [];
      if (parts.length !== 1)
        expect(standingOf(state, draft.key, draft.attempt)).toEqual({ kind: 'open', asked });
      // A task was asked for when it was first assigned, whatever it travels in now: that is what its key says.
      for (const { part, attempt } of parts)
        expect(standingOf(state, part.key, attempt)).toEqual({
          kind: 'open',
          asked: Number(positionOf(part.key).step),
        });
    }
    state.tasks.forEach(({ status, attempt }, ordinal) => {
      const key = taskKeyOf(state, ordinal);
      if (key !== undefined && status !== 'running')
        expect(standingOf(state, key, attempt)).toEqual({ kind: 'answered' });
    });
  });
});

/** Statuses as they were when each event had been folded, by ordinal. */
type Statuses = Map<number, TaskStatus>;

holds(
  'nothing is assigned before what it waits for, out of bounds, or beyond what its for_each allows',
  () => {
    inEveryHistory(() => {
      const ended: Statuses = new Map();
      return ({ state }: TestHost, { events }: Turn) => {
        for (const event of events) {
          if (event.kind === 'tasks-assigned') {
            for (const tasks of event.assignments) expectInOrder(state, ended, tasks);
            expect(Math.max(...event.assignments.map(({ length }) => length))).toBeLessThanOrEqual(
              limits.assignmentTasksMax,
            );
          }
          if (event.kind === 'task-expanded') expectInOrder(state, ended, [event.task]);
          remember(ended, event);
        }
        expect(state.open.length).toBeLessThanOrEqual(jobLimits.openAssignmentsMax);
        if (state.decision?.split === false && events.some(({ kind }) => kind === 'tasks-assigned'))
          expect(state.open).toHaveLength(1);
        for (const [ordinal, { group }] of state.tasks.entries()) {
          if (group === undefined) continue;
          const children = state.tasks.slice(group.base, group.base + group.count);
          const under = children.filter(({ status }) => !taskEnded(status) && status !== 'pending');
          expect(under.length).toBeLessThanOrEqual(planOf(state, ordinal).for_each?.concurrency ?? 0);
        }
      };
    });
  },
);

const remember = (ended: Statuses, event: JobEvent): void => {
  if (event.kind === 'task-completed' || event.kind === 'task-joined') ended.set(event.task, 'completed');
  if (event.kind === 'task-refused' || (event.kind === 'task-failed' && event.route !== 'retry'))
    ended.set(event.task, 'failed');
  if (event.kind === 'tasks-skipped') for (const { task } of event.tasks) ended.set(task, 'skipped');
};

const expectInOrder = (state: JobState, ended: Statuses, tasks: readonly number[]): void => {
  const before = new Set<number>();
  for (const ordinal of tasks) {
    expect(ended.has(ordinal), `${taskIdOf(state, ordinal)} has ended and is assigned`).toBe(false);
    if (taskAt(state, ordinal).child === undefined)
      for (const { task, optional } of planOf(state, ordinal).deps) {
        const met = before.has(task) || ended.get(task) === 'completed' || (optional && ended.has(task));
        expect(met, `${taskIdOf(state, ordinal)} waits for ${taskIdOf(state, task)}`).toBe(true);
      }
    before.add(ordinal);
  }
};

holds(
  'who waits for a task that did not complete is skipped and says because of which, unless it need not be there',
  () => {
    let skipped = 0;
    inEveryHistory(
      () => () => {},
      ({ state }) => {
        for (const [ordinal, { deps }] of state.plan.entries()) {
          const { status, because } = taskAt(state, ordinal);
          const missed = deps.filter(
            ({ task, optional }) => !optional && taskAt(state, task).status !== 'completed',
          );
          if (status === 'skipped') {
            skipped += 1;
            expect(missed.map(({ task }) => task)).toContain(because);
          } else if (state.status === 'completed') expect(missed).toEqual([]);
          if (status === 'completed') expect(missed).toEqual([]);
        }
        if (state.status === 'completed')
          for (const { status } of state.tasks) expect(status).toMatch(/^(completed|failed|skipped)$/);
      },
    );
    expect(skipped).toBeGreaterThan(20);
  },
);

holds(
  'a task that an envelope names belongs to the job, and the envelope to the job or one of its tasks',
  () => {
    inEveryHistory(() => ({ state }) => {
      for (const { draft } of decider.next(state)) {
        const named = draft.type === 'task.assign' ? draft.payload.tasks.map(({ key }) => taskOf(key)) : [];
        const known = state.tasks.map((_, ordinal): string => taskIdOf(state, ordinal));
        expect(known).toEqual(expect.arrayContaining(named));
        expect(taskOf(draft.key)).toBe(named.length === 1 ? named[0] : '_job');
      }
    });
  },
);
