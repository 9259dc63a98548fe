import type { EmbeddedSettings, Faults } from '@foldmesh/embedded';
import type { Script } from '@foldmesh/models';
import type { Agent } from '@foldmesh/run';
import type { EffectClass } from '@foldmesh/sdk';
import { type Blow, randomBlow, unreadable } from './blows.ts';
import { type Draw, drawOf } from './draw.ts';
import { randomAgent } from './random-agent.ts';
import { type PlannedJob, randomJob } from './random-job.ts';
import { effects } from './witness.ts';

/** All that a seed decides before the first moment: what is asked, and what will go wrong. Times are milliseconds. */
export interface Plot {
  readonly seed: number;
  readonly managers: number;
  readonly gateways: number;
  readonly slots: number;
  readonly jobs: readonly PlannedJob[];
  readonly agents: readonly Agent[];
  readonly scripts: ReadonlyMap<string, Script>;
  readonly settings: Partial<EmbeddedSettings>;
  readonly faults: Partial<Faults>;
  /** How often a tool fails that nobody told to. */
  readonly flaky: number;
  readonly modelFaults: number;
  /** How often a port call ends whoever makes it. */
  readonly deaths: number;
  /** The clock of each service is wrong by up to so much, either way. */
  readonly apartMs: number;
  /** Things that nobody has asked for. */
  readonly blows: readonly Blow[];
  /** So long after their submit, at once is together with it; or as soon as a task waits for its next try. */
  readonly cancels: readonly { readonly job: string; readonly afterMs: number | 'retry' }[];
  /** Jobs come within so long after the beginning. */
  readonly submitsWithinMs: number;
  /** When all is healed. */
  readonly healsAtMs: number;
}

export const plotOf = (seed: number): Plot => {
  const draw = drawOf(`${seed}/plot`);
  // Where nothing unsafe is asked for, the dedup store may also lose single records.
  const classes: readonly EffectClass[] = draw.chance(0.6)
    ? effects
    : effects.filter((effect) => effect !== 'unsafe');
  const parts = Array.from({ length: draw.from(1, 2) }, (_, index) =>
    randomAgent(draw, `agent-${index + 1}`, classes),
  );
  const agents = parts.map(({ agent }) => agent);
  const jobs = Array.from({ length: draw.from(1, 3) }, (_, index) =>
    randomJob(draw, { name: `job-${index + 1}`, classes, agents: agents.map(({ name }) => name) }),
  );
  const healsAtMs = draw.from(3_000, 25_000);
  const impatient = drawOf(`${seed}/impatient`);
  const unread = drawOf(`${seed}/unread`);
  return {
    seed,
    managers: draw.from(1, 2),
    gateways: draw.from(1, 2),
    slots: draw.from(1, 6),
    jobs,
    agents,
    scripts: new Map(parts.map(({ agent, script }) => [agent.model, script])),
    settings: randomSettings(draw, classes),
    faults: randomFaults(draw, classes),
    flaky: draw.chance(0.6) ? draw.below(20) / 100 : 0,
    modelFaults: draw.chance(0.5) ? draw.below(50) / 100 : 0,
    deaths: draw.chance(0.8) ? draw.from(1, 40) / 1_000 : 0,
    apartMs: draw.chance(0.4) ? draw.from(1, 2_500) : 0,
    blows: [
      ...Array.from({ length: draw.below(6) }, () => randomBlow(draw, healsAtMs)),
      ...(unread.chance(0.1) ? unreadable(unread, healsAtMs) : []),
    ],
    cancels: jobs.flatMap(({ name }): Plot['cancels'] => {
      if (draw.chance(0.25)) return [{ job: name, afterMs: draw.chance(0.4) ? 0 : draw.below(20_000) }];
      return impatient.chance(0.2) ? [{ job: name, afterMs: 'retry' }] : [];
    }),
    submitsWithinMs: draw.oneOf([1_000, healsAtMs * 0.7]),
    healsAtMs,
  };
};

/** The same jobs where nothing goes wrong and nobody changes their mind: what they should come to. */
export const calm = (plot: Plot): Plot => ({
  ...plot,
  faults: {},
  flaky: 0,
  modelFaults: 0,
  deaths: 0,
  apartMs: 0,
  blows: [],
  cancels: [],
  submitsWithinMs: 1,
  healsAtMs: 1_000,
});

/** What brokers and stores are set to, and what they may do otherwise. */
const randomSettings = (draw: Draw, classes: readonly EffectClass[]): Partial<EmbeddedSettings> => ({
  ackWaitMs: draw.oneOf([6_000, 6_000, 2_000]),
  // What is unsafe relies on the window that start-up insists on.
  duplicateWindowMs: draw.oneOf(classes.includes('unsafe') ? [20_000] : [20_000, 2_000, 1]),
  doorMessagesMax: draw.oneOf([100_000, 100_000, 1]),
  ownRetry: draw.oneOf(['conflict', 'stored']),
  replicaLagMs: 2_000,
});

/** The highest rate of each: what lets work get on, most of the time. */
const highest: Faults = {
  repeat: 0.3,
  delay: 0.4,
  reorder: 0.4,
  loseAck: 0.3,
  lateAck: 0.3,
  lateWorking: 0.3,
  losePublishReply: 0.3,
  forgetDelay: 0.5,
  loseCast: 0.5,
  conflictOwn: 0.3,
  loseAppendReply: 0.3,
  loseRecord: 0.05,
  loseClaimReply: 0.3,
  loseGripReply: 0.3,
  staleIndex: 0.5,
  full: 0.1,
  unavailable: 0.2,
  slow: 0.3,
};

/** Half of the faults, or none: what only shows when the rest works must be able to show. */
const randomFaults = (draw: Draw, classes: readonly EffectClass[]): Partial<Faults> => {
  if (draw.chance(0.1)) return {};
  const rates = Object.entries(highest).map(([name, rate]) => {
    const share = draw.chance(0.5) ? draw.below(100) / 100 : 0;
    return [name, name === 'loseRecord' && classes.includes('unsafe') ? 0 : rate * share];
  });
  return Object.fromEntries(rates);
};

/** Every fault of the stores that a seed may bring. */
export const faultNames: readonly string[] = Object.keys(highest);
