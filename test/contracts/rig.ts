import { type Fault, invariant, type Result } from '@foldmesh/envelope';
import type { Ledger, Memory, Ports } from '@foldmesh/ports';
import * as fc from 'fast-check';
import { it } from 'vitest';
import { type Samples, samples } from './samples.ts';

/** The ports that a contract suite can be run against. */
export type Contracted = 'bus' | 'journal' | 'inbox' | 'blobs' | 'index' | 'dead' | 'memory' | 'ledger';

/** The ports of every service, and those that are one service's own. */
type AllPorts = Ports & { readonly memory: Memory; readonly ledger: Ledger };

/** Runs one suite on one adapter: stores in memory on a virtual clock, or real servers on the real one. */
export interface Rig<P extends Contracted = Contracted> {
  readonly name: string;
  readonly timings: Timings;
  /** How many cases a property is tried on: many in memory, few where time is real. */
  readonly runs: number;
  /** How long one test may take in real milliseconds. */
  readonly timeoutMs: number;
  /**
   * Opens the ports, runs `test` while it drives their clock if that needs driving, and closes them. `name` is an id
   * that no other run on the same stores gets.
   */
  run(test: (ports: Pick<AllPorts, P | 'clock'>, name: string) => Promise<void>): Promise<void>;
}

/** How the adapter under test is set up, in milliseconds. */
export interface Timings {
  readonly ackWaitMs: number;
  readonly duplicateWindowMs: number;
  readonly leaseMs: number;
  /** By how much an answer may miss its time and still be right. */
  readonly slackMs: number;
  /** How long a test waits for what must come: in memory no longer than the slack, elsewhere as long as a busy machine needs. */
  readonly patienceMs: number;
}

/** What one test stands on; its names are its own, so that tests may share a server. */
export interface Bench<P extends Contracted> extends Timings {
  readonly ports: Pick<AllPorts, P | 'clock'>;
  readonly make: Samples;
  /** Lets time pass. */
  advance(ms: number): Promise<void>;
}

/** Declares one test of a contract. */
export const promise = <P extends Contracted>(
  rig: Rig<P>,
  name: string,
  test: (bench: Bench<P>) => Promise<void>,
): void => it(name, () => onBench(rig, test), rig.timeoutMs);

/** Declares what must hold for all `cases`; each is tried on a bench of its own. */
export const property = <P extends Contracted, T>(
  rig: Rig<P>,
  name: string,
  cases: fc.Arbitrary<T>,
  test: (bench: Bench<P>, sample: T) => Promise<void>,
): void => {
  const tried = fc.asyncProperty(cases, (sample) => onBench(rig, (bench) => test(bench, sample)));
  it(name, () => fc.assert(tried, { numRuns: rig.runs }), rig.timeoutMs);
};

/** Opens a bench of its own for `test`. */
export const onBench = <P extends Contracted>(
  rig: Rig<P>,
  test: (bench: Bench<P>) => Promise<void>,
): Promise<void> =>
  rig.run((ports, name) =>
    test({ ...rig.timings, ports, make: samples(name), advance: (ms) => ports.clock.sleep(ms) }),
  );

/** The value of what must have worked. */
export const got = <T>(result: Result<T>): T => {
  invariant(result.ok, result.ok ? '' : `${result.fault.kind}: ${result.fault.detail}`);
  return result.value;
};

/** The fault of what must not have worked. */
export const faultOf = <T>(result: Result<T>): Fault => {
  invariant(!result.ok, 'it worked, and should not have');
  return result.fault;
};

/** Asks again until it works, as every caller of a port must; what will never work ends the test. */
export const insist = async <T>(
  bench: Pick<Bench<Contracted>, 'advance'>,
  ask: () => Promise<Result<T>>,
): Promise<T> => {
  for (let left = insistMax; left > 0; left--) {
    const result = await ask();
    if (result.ok) return result.value;
    const { retry_after_ms } = result.fault;
    invariant(retry_after_ms !== undefined, `${result.fault.kind}: ${result.fault.detail}`);
    await bench.advance(retry_after_ms);
  }
  throw new Error(`it never worked in ${insistMax} tries`);
};

const insistMax = 100;

/** Asks again until `check` throws no more, for as long as what must come may take; throws what was last wrong. */
export const soon = async (
  {
    ports,
    advance,
    patienceMs,
  }: Pick<Bench<Contracted>, 'advance' | 'patienceMs'> & {
    readonly ports: Pick<AllPorts, 'clock'>;
  },
  check: () => void | Promise<void>,
): Promise<void> => {
  const until = ports.clock.monotonic() + patienceMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (wrong) {
      if (ports.clock.monotonic() >= until) throw wrong;
    }
    await advance(soonEveryMs);
  }
};

const soonEveryMs = 5;
