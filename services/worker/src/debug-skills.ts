import { FaultKind, json } from '@foldmesh/envelope';
import type { Clock } from '@foldmesh/ports';
import { defineSkill, failed, type Skill, z } from '@foldmesh/sdk';

export interface DebugSettings {
  readonly clock: Clock;
  /** Ends this process. Undefined: `debug.exit` is refused. */
  readonly exit: ((code: number) => void) | undefined;
}

const msMax = 10 * 60_000;
const ms = z.int().min(0).max(msMax);

/** For tests and first tries: they do nothing but what their name says. */
export const debugSkills = ({ clock, exit }: DebugSettings): readonly Skill[] => [
  defineSkill({
    name: 'debug.echo',
    description: 'Returns its input.',
    input: json,
    run: async (input) => input,
  }),
  defineSkill({
    name: 'debug.sleep',
    description: 'Waits `ms` milliseconds and returns them.',
    input: z.strictObject({ ms }).catchall(z.unknown()),
    timeoutMs: msMax,
    run: async ({ ms: wait }, call) => {
      await call.sleep(wait);
      if (call.signal.aborted) throw failed('unanswered', 'stopped while waiting');
      return { ms: wait };
    },
  }),
  defineSkill({
    name: 'debug.fail',
    description: 'Fails with `fault` in its first `times` attempts, then succeeds.',
    input: z.strictObject({ fault: FaultKind, times: z.int().min(1).optional() }),
    run: async ({ fault, times }, call) => {
      const later = fault === 'unavailable' || fault === 'throttled' || fault === 'unanswered';
      if (times === undefined || call.attempt <= times)
        throw failed(fault, `debug.fail in attempt ${call.attempt}`, later ? 0 : undefined);
      return { attempt: call.attempt };
    },
  }),
  defineSkill({
    name: 'debug.spin',
    description: 'Keeps the processor busy for `ms` milliseconds.',
    input: z.strictObject({ ms }),
    run: async ({ ms: busy }) => {
      spin(clock, busy);
      return { ms: busy };
    },
  }),
  defineSkill({
    name: 'debug.exit',
    description: 'Ends its process, where the configuration allows it.',
    input: z.strictObject({ code: z.int().min(0).max(255).optional() }),
    run: async ({ code }) => {
      if (exit === undefined) throw failed('refused', 'debug.exit is not allowed here (allow_exit)');
      exit(code ?? 1);
      return null;
    },
  }),
];

/** Where time stands still until everybody waits, as in a simulation, spinning does not make it pass. */
const spin = (clock: Clock, ms: number): void => {
  const until = clock.monotonic() + ms;
  let stood = 0;
  for (let now = clock.monotonic(), last = now; now < until && stood < stoodMax; now = clock.monotonic()) {
    stood = now === last ? stood + 1 : 0;
    last = now;
  }
};

/** More readings of one instant than any real clock gives. */
const stoodMax = 1_000_000;
