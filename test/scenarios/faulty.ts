import type { Faults } from '@foldmesh/embedded';
import type { Json } from '@foldmesh/envelope';
import { defineSkill, z } from '@foldmesh/sdk';
import { book, jobOf, look } from './specs.ts';

/** Every fault of broker and stores at a rate that lets work get on; but for single records that a store loses. */
export const mild: Partial<Faults> = {
  repeat: 0.1,
  delay: 0.2,
  reorder: 0.2,
  loseAck: 0.1,
  lateAck: 0.1,
  lateWorking: 0.1,
  losePublishReply: 0.1,
  forgetDelay: 0.3,
  loseCast: 0.1,
  conflictOwn: 0.1,
  loseAppendReply: 0.1,
  loseClaimReply: 0.1,
  loseGripReply: 0.1,
  staleIndex: 0.1,
  full: 0.05,
  unavailable: 0.1,
  slow: 0.1,
};

/** Calls one after the other, then side by side: all that a skill's numbering is for. */
export const trip = defineSkill({
  name: 'trip.book',
  input: z.strictObject({ name: z.string() }),
  run: async ({ name }, call) => {
    await call.tool('witness.keyed', { id: `${name}-hotel` });
    const [flight, car] = await call.all([
      (branch) => branch.tool('witness.idempotent', { id: `${name}-flight` }),
      (branch) => branch.tool('witness.keyed', { id: `${name}-car` }),
    ]);
    await call.tool('witness.read', { id: `${name}-weather` });
    return { flight, car };
  },
});

/** Enough that no fault of the world can be the reason why a job fails. */
const retry = { attempts: 20 };

/** Tools, skills and a merge, of all classes that may be asked twice; its effects are named after it. */
export const safeJob = (name: string): Json =>
  jobOf(
    [
      book(`${name}-first`, 'keyed', { retry }),
      book(`${name}-second`, 'idempotent', { retry, depends_on: [`${name}-first`] }),
      ...['third', 'fourth', 'fifth'].map((id) =>
        book(`${name}-${id}`, 'read', { retry, input: { ms: 200 } }),
      ),
      {
        id: 'trips',
        for_each: ['a', 'b', 'c', 'd', 'e', 'f'],
        concurrency: 3,
        skill: 'trip.book',
        input: { name: `${name}-${look('item')}` },
        retry,
      },
      { id: 'merge', skill: 'debug.echo', input: look('tasks.trips.output'), retry },
    ],
    { result: look('tasks.merge.output'), split: 'always' },
  );

export const unsafeJob: Json = jobOf(
  [
    ...[1, 2, 3, 4].map((n) => book(`unsafe-${n}`, 'unsafe', { retry, input: { ms: 500 } })),
    book('after', 'keyed', { retry, depends_on: ['unsafe-1'] }),
  ],
  { split: 'always' },
);
