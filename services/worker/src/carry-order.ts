import { type Carried, positionOf, type TaskPart } from '@foldmesh/envelope';
import { lookupsIn } from '@foldmesh/job';
import type { Call, Done, InHand, Ran, Run } from '@foldmesh/runtime';

/** Outputs of tasks of the same assignment, by task id. */
export type Local = ReadonlyMap<string, Carried>;

export interface Carrying {
  /** Claims a task, runs it, and stores what came of it. */
  carry(part: TaskPart, index: number, run: Run): Promise<Done>;
  run(part: TaskPart, local: Local, call: Call): Promise<Ran>;
}

/**
 * Carries tasks out one after the other, up to the first that is not completed or the end of intake, and gives what
 * came of each that was begun. `ahead` of them are claimed at a time, and while one runs those before it are being
 * stored: the stores' answers are waited for together, instead of twice for each task.
 */
export const carryInOrder = async (
  hand: InHand,
  tasks: readonly TaskPart[],
  ahead: number,
  carrying: Carrying,
): Promise<readonly Done[]> => {
  const legs: Leg[] = [];
  const byTask = new Map<string, Leg>();
  for (const [index, part] of tasks.entries()) {
    if (index >= ahead && (await legs[index - ahead]?.output) === undefined) break;
    if (index > 0 && isLeaving(hand)) break;
    const mates = matesOf(part, byTask);
    const next = leg(hand, part, index, legs[index - 1]?.completes, mates, carrying);
    legs.push(next);
    byTask.set(next.task, next);
  }
  await Promise.allSettled(legs.map(({ done }) => done));
  const dones = await Promise.all(legs.map(({ done }) => done));
  const stop = dones.findIndex((done) => outputOf(done) === undefined);
  if (stop === -1) return dones;
  return dones.slice(0, legs[stop]?.wasPassedOver() === true ? stop : stop + 1);
};

/** One task on its way. */
interface Leg {
  readonly task: string;
  readonly done: Promise<Done>;
  /** Whether it completed, as soon as that is known: the next runs while this one is being stored. */
  readonly completes: Promise<boolean>;
  /** What it made, once that is stored; undefined where it did not complete. */
  readonly output: Promise<Carried | undefined>;
  /** It was claimed, and its turn did not come. */
  wasPassedOver(): boolean;
}

const leg = (
  hand: InHand,
  part: TaskPart,
  index: number,
  before: Promise<boolean> | undefined,
  mates: readonly Leg[],
  { carry, run }: Carrying,
): Leg => {
  const completes = Promise.withResolvers<boolean>();
  let passedOver = false;
  const done = carry(part, index, async (call) => {
    const local = (await before) === false ? undefined : await handedOver(mates);
    // On the way out what is done is said now; the rest is ready again elsewhere.
    passedOver = index > 0 && (local === undefined || isLeaving(hand));
    if (local === undefined || passedOver) return { kind: 'not_begun' };
    const ran = await run(part, local, call);
    completes.resolve(ran.kind === 'done');
    return ran;
  });
  const output = done.then(outputOf, () => undefined);
  void output.then((one) => completes.resolve(one !== undefined));
  return {
    task: positionOf(part.key).task,
    done,
    completes: completes.promise,
    output,
    wasPassedOver: () => passedOver,
  };
};

const isLeaving = ({ host, hold, deadline }: InHand): boolean =>
  host.intake.aborted || hold.signal.aborted || host.ports.clock.now() >= deadline;

/** Those before it whose outputs it looks up. */
const matesOf = (part: TaskPart, byTask: ReadonlyMap<string, Leg>): readonly Leg[] =>
  lookupsIn(part.input).lookups.flatMap((one) => (one.of === 'output' ? (byTask.get(one.task) ?? []) : []));

/** Waits until they are stored: what is lost on the way is done again by somebody else, perhaps in another way. */
const handedOver = async (mates: readonly Leg[]): Promise<Local | undefined> => {
  const local = new Map<string, Carried>();
  for (const { task, output } of mates) {
    const made = await output;
    if (made === undefined) return undefined;
    local.set(task, made);
  }
  return local;
};

const outputOf = (done: Done): Carried | undefined =>
  done.kind === 'settled' && done.stored.outcome.kind === 'done' ? done.stored.outcome.output : undefined;
