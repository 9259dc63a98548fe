import type { Faults } from '@foldmesh/embedded';
import type { Script } from '@foldmesh/models';
import type { Agent } from '@foldmesh/run';
import type { EffectClass } from '@foldmesh/sdk';
import { type Draw, drawOf } from './draw.ts';
import { randomAgent } from './random-agent.ts';
import { type PlannedJob, randomJob } from './random-job.ts';
import { effects } from './witness.ts';

/** All that a seed decides before the first moment: what is asked, and what will go wrong. Times are milliseconds. */
export interface Plot {
  readonly managers: number;
  readonly slots: number;
  readonly jobs: readonly PlannedJob[];
  readonly agents: readonly Agent[];
  readonly scripts: ReadonlyMap<string, Script>;
  readonly faults: Partial<Faults>;
  readonly flaky: number;
  readonly modelFaults: number;
  /** How often a port call ends whoever makes it. */
  readonly deaths: number;
  /** When things that nobody has asked for happen, after the beginning. */
  readonly blows: readonly Blow[];
  readonly cancels: readonly { readonly job: string; readonly atMs: number }[];
  /** Jobs come within so long after the beginning. */
  readonly submitsWithinMs: number;
  /** When all is healed. */
  readonly healsAtMs: number;
}

export type Blow =
  | { readonly kind: 'all-die'; readonly atMs: number }
  | { readonly kind: 'stand-still'; readonly atMs: number; readonly forMs: number; readonly who: number };

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
  const healsAtMs = draw.from(5_000, 60_000);
  return {
    managers: draw.from(1, 2),
    slots: draw.from(1, 6),
    jobs,
    agents,
    scripts: new Map(parts.map(({ agent, script }) => [agent.model, script])),
    faults: randomFaults(draw, classes),
    flaky: draw.chance(0.6) ? draw.below(20) / 100 : 0,
    modelFaults: draw.chance(0.5) ? draw.below(30) / 100 : 0,
    deaths: draw.chance(0.8) ? draw.from(1, 40) / 1_000 : 0,
    blows: Array.from({ length: draw.below(5) }, () => randomBlow(draw, healsAtMs)),
    cancels: jobs
      .filter(() => draw.chance(0.15))
      .map(({ name }) => ({ job: name, atMs: draw.below(healsAtMs) })),
    submitsWithinMs: draw.oneOf([1_000, healsAtMs * 0.7]),
    healsAtMs,
  };
};

/** The highest rate of each: what lets work get on, most of the time. */
const highest: Faults = {
  repeat: 0.3,
  delay: 0.4,
  reorder: 0.4,
  loseAck: 0.3,
  losePublishReply: 0.3,
  forgetDelay: 0.5,
  loseCast: 0.5,
  conflictOwn: 0.3,
  loseAppendReply: 0.3,
  loseRecord: 0.05,
  loseClaimReply: 0.3,
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

const randomBlow = (draw: Draw, healsAtMs: number): Blow => {
  const atMs = draw.below(healsAtMs);
  return draw.chance(0.4)
    ? { kind: 'all-die', atMs }
    : { kind: 'stand-still', atMs, forMs: draw.from(500, 15_000), who: draw.below(100) };
};

/** Every fault that a seed may bring. */
export const faultNames: readonly string[] = Object.keys(highest);
