import { fail, fault, type Result } from '@foldmesh/envelope';
import type { Clock, Random } from '@foldmesh/ports';
import { type Dice, dice, type Faults } from './faults.ts';
import { defaultSettings, type EmbeddedSettings } from './settings.ts';
import { silent, type Watch } from './watch.ts';

/** What whoever opens an embedded world hands in; every fault is off, and every setting the default, unless named. */
export interface EmbeddedWorld {
  readonly clock: Clock;
  readonly random: Random;
  readonly faults?: Partial<Faults>;
  readonly settings?: Partial<EmbeddedSettings>;
  readonly watch?: Partial<Watch>;
}

/** What the stores of one world stand on together. */
export interface Stand {
  readonly clock: Clock;
  readonly random: Random;
  readonly dice: Dice;
  readonly settings: EmbeddedSettings;
  readonly watch: Watch;
}

export const standOf = ({ clock, random, faults = {}, settings = {}, watch = {} }: EmbeddedWorld): Stand => ({
  clock,
  random,
  dice: dice(faults, random),
  settings: { ...defaultSettings, ...settings },
  watch: { ...silent, ...watch },
});

/** Wraps what a port call does: any call may be slow, or find nobody there. */
export type PortCall = <T>(work: () => Result<T>) => Promise<Result<T>>;

export const portCall =
  ({ clock, dice, settings }: Stand, source: string): PortCall =>
  async (work) => {
    if (dice.hits('unavailable')) return unavailable(source);
    if (!dice.hits('slow')) return work();
    await clock.sleep(dice.wait(settings.slowMsMax));
    const result = work();
    await clock.sleep(dice.wait(settings.slowMsMax));
    return result;
  };

/** All that is asked of these ports is keyed, so asking again is always right. */
const retryAfterMs = 100;

const unavailable = (source: string) =>
  fail(fault('unavailable', `${source} is not reachable`, { source, retry_after_ms: retryAfterMs }));

/** It was done, and the answer got lost. */
export const unanswered = (source: string) =>
  fail(fault('unanswered', `${source} did not answer`, { source, retry_after_ms: retryAfterMs }));

/** What a broker says whose stream takes nothing more. */
export const streamFull = (source: string, detail: string) =>
  fail(fault('throttled', detail, { source, retry_after_ms: 1_000 }));

/** A value as another process would get it back: nothing shared, nothing that is not JSON. */
export const copyJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T; // what goes in as JSON comes out as it
