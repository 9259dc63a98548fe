import { type Client, clientOf } from './client.ts';
import { type Draw, drawOf } from './draw.ts';
import type { PlannedJob } from './random-job.ts';
import type { Stage } from './stage.ts';
import { strangersJob } from './strangers.ts';
import { strike } from './strike.ts';

/** In virtual time: how long the healed mesh has to end what it accepted. Shorter than what a job or a request may take. */
const healthyMsMax = 8 * 60_000;
/** The same for whoever only wants to know whether something is wrong. */
const hastyMsMax = 4 * 60_000;
/** What must still happen after the last end (the index, runs told to stop, messages met by their deadline) has so long. */
const quietMsMax = 120_000;
const lookMs = 500;

/** Plays a plot until all is quiet, or has had time to be; says how long all was well before the last job ended. Milliseconds. */
export const play = async (stage: Stage): Promise<number> => {
  const { plot, world, outside, crew } = stage;
  const { clock, ports, history } = world;
  const client = clientOf(ports, (what) => history.say('client', what));
  const draw = drawOf(`${plot.seed}/client`);
  void crew.startAll();
  for (const job of plot.jobs) void submit(stage, client, draw, job);
  for (const blow of plot.blows) void clock.sleep(blow.atMs).then(() => strike(stage, blow));
  const answering = answerAll(stage, client, draw, new AbortController());
  await until(stage, plot.healsAtMs, () => false);
  history.say('world', 'HEALS');
  world.heal();
  outside.heal();
  crew.heal();
  const healedAt = clock.now();
  await until(stage, stage.hasty ? hastyMsMax : healthyMsMax, () => allEnded(stage));
  const healthyMs = clock.now() - healedAt;
  answering.abort();
  client.giveUp();
  await until(stage, quietMsMax, () => isQuiet(stage));
  return healthyMs;
};

/** Waits until it is so, for at most `msMax`; no longer once something is violated, where that is enough to know, or nothing can go on. */
const until = async (
  { world: { clock }, observer, hasty }: Stage,
  msMax: number,
  isSo: () => boolean,
): Promise<void> => {
  const end = clock.now() + msMax;
  const isOver = (): boolean => observer.isStuck() || (hasty && observer.wrong().length > 0);
  while (clock.now() < end && !isSo() && !isOver()) await clock.sleep(Math.min(lookMs, end - clock.now()));
};

const submit = async (
  stage: Stage,
  client: Client,
  draw: Draw,
  { name, spec }: PlannedJob,
): Promise<void> => {
  const { plot, world } = stage;
  const { clock } = world;
  await clock.sleep(draw.below(plot.submitsWithinMs));
  const afterMs = plot.cancels.find(({ job }) => job === name)?.afterMs;
  if (afterMs === 0) {
    // Before there is anything to cancel.
    for (let times = 0; times < earlyCancels; times++)
      void clock.sleep(draw.below(earlyMsMax)).then(() => cancel(client, name, `too early, ${times}`));
    await clock.sleep(draw.below(earlyMsMax));
  }
  const submitting = client.command(name, { type: 'job.submit', payload: { spec } });
  if (afterMs === 'retry') void cancelAtRetry(stage, client, name);
  else if (afterMs !== undefined)
    void clock.sleep(afterMs).then(() => cancel(client, name, 'no longer wanted'));
  await submitting;
};

/** Somebody looks now and then, and gives the job up when one of its tasks waits for its next try. */
const cancelAtRetry = async (
  { world: { clock }, observer }: Stage,
  client: Client,
  name: string,
): Promise<void> => {
  for (let looks = 0; looks < retryLooksMax; looks++) {
    await clock.sleep(retryLookMs);
    const { tasks = [], ended_at } = observer.jobs.get(name)?.state ?? {};
    if (ended_at !== undefined) return;
    if (tasks.some(({ status }) => status === 'waiting')) return cancel(client, name, 'it does not get on');
  }
};

const retryLookMs = 100;
const retryLooksMax = 600;

/** How often and how much too early some people cancel. */
const earlyCancels = 8;
const earlyMsMax = 300;

const cancel = (client: Client, job: string, reason: string): Promise<void> =>
  client.command(job, { type: 'job.cancel', payload: { reason } });

/** People answer what jobs ask, in their own time. */
const answerAll = (
  { world, observer, plot }: Stage,
  client: Client,
  draw: Draw,
  over: AbortController,
): AbortController => {
  const answered = new Set<string>();
  void (async () => {
    while (!over.signal.aborted) {
      await world.clock.sleep(lookMs, over.signal);
      for (const { name } of plot.jobs)
        for (const { request, answer } of observer.jobs.get(name)?.state.asks ?? []) {
          const id = `${name} ${request}`;
          if (answer !== undefined || answered.has(id) || !draw.chance(0.06)) continue;
          answered.add(id);
          // Whoever answers does not wait for what becomes of it before they answer the next.
          void client.command(name, {
            type: 'run.answer',
            payload: { request, value: 'yes', by: 'simulator' },
          });
        }
    }
  })();
  return over;
};

const allEnded = ({ plot, observer }: Stage): boolean =>
  plot.jobs.every(({ name }) => observer.jobs.get(name)?.state.ended_at !== undefined);

const isQuiet = ({ observer, world, foreign }: Stage): boolean =>
  world.doors.leases() === 0 &&
  foreign.every(({ message }) => observer.letters.some(({ id }) => id === message.headers.id)) &&
  [...observer.jobs.values()].every(({ name, unacked, indexed, state }) => {
    if (name === strangersJob) return true;
    const isListed =
      typeof indexed === 'object' && indexed !== null && Reflect.get(indexed, 'ended') === true;
    return unacked === 0 && (state.ended_at === undefined || isListed);
  });
