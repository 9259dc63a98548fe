import { type Fault, FaultKind, fail, fault, type Json, type Key, type Result } from '@foldmesh/envelope';
import type { Clock, Random } from '@foldmesh/ports';
import { defineTool, type EffectClass, ok, type Tool, type ToolCall, z } from '@foldmesh/sdk';
import { byChance } from '@foldmesh/worlds';

/** One side effect that has happened. */
export interface Row {
  readonly effect: EffectClass;
  readonly id: string;
  readonly key: Key;
  readonly by: string;
  readonly at: number;
}

/** The world outside: each side effect is one row, and it outlives every service. */
export interface Witness {
  readonly rows: readonly Row[];
  rowsOf(id: string): readonly Row[];
  /** Rows beyond the first that a keyed or idempotent system has swallowed: proof that something was repeated. */
  repeats(): number;
  /** The tools as one incarnation has them: its clock is cut off with it. */
  toolsOn(name: string, clock: Clock): readonly Tool[];
  /** From here on it loses no reply any more. */
  heal(): void;
}

export const effects: readonly EffectClass[] = ['read', 'idempotent', 'keyed', 'unsafe'];

const WitnessInput = z.strictObject({
  id: z.string(),
  /** How long it takes. */
  ms: z.number().optional(),
  /** Its first runs fail before anything has happened, with this kind. */
  fails: z.strictObject({ kind: FaultKind, times: z.number(), later_ms: z.number().optional() }).optional(),
  /** How much its answer weighs beside its id. */
  bytes: z.number().optional(),
  after: z.unknown().optional(),
});
type WitnessInput = z.output<typeof WitnessInput>;

export interface WitnessSettings {
  readonly random: Random;
  /** How often a reply gets lost, or it is busy, from 0 to 1. */
  readonly flaky: number;
  readonly say: (who: string, what: string) => void;
  /** Hears of each side effect as it happens. */
  readonly onRow: (row: Row) => void;
}

export const witness = (settings: WitnessSettings): Witness => {
  const rows: Row[] = [];
  const known = new Map<string, Row>();
  const runs = new Map<string, number>();
  let { flaky } = settings;
  let repeats = 0;

  const commit = (row: Row): void => {
    // A keyed system knows the caller's key, an idempotent one is where it was told to be, a read changes nothing.
    const name = row.effect === 'keyed' ? row.key : row.id;
    if (row.effect !== 'unsafe' && known.has(name)) {
      repeats += 1;
      return;
    }
    known.set(name, row);
    rows.push(row);
    settings.onRow(row);
    settings.say('witness', `${row.effect} ${row.id} has happened, done by ${row.by}`);
  };

  const run = async (
    by: string,
    clock: Clock,
    effect: EffectClass,
    { id, ms = 0, bytes, fails }: WitnessInput,
    { key, signal }: ToolCall,
  ): Promise<Result<Json>> => {
    const before = runs.get(id) ?? 0;
    runs.set(id, before + 1);
    if (fails !== undefined && before < fails.times) return fail(planned(fails));
    const mishap = flaky > 0 && settings.random.float() < flaky ? settings.random.float() : 1;
    if (mishap < 0.5) return fail(moodOf(mishap * 2));
    await clock.sleep(ms, signal);
    if (signal.aborted) return fail(fault('unanswered', 'stopped before it had done anything'));
    commit({ effect, id, key, by, at: clock.now() });
    // A moment in which nobody has heard of it yet: this is where a crash hurts.
    await clock.sleep(1 + ms / 4);
    if (mishap < 1) return fail(lost(effect));
    return ok(bytes === undefined ? { id } : { id, pad: 'x'.repeat(bytes) });
  };

  return {
    rows,
    rowsOf: (id) => rows.filter((row) => row.id === id),
    repeats: () => repeats,
    toolsOn: (name, clock) =>
      effects.map((effect) =>
        defineTool({
          name: `witness.${effect}`,
          description: 'Makes one row.',
          effect,
          input: WitnessInput,
          timeoutMs: 20_000,
          run: (input, call) => run(name, clock, effect, input, call),
        }),
      ),
    heal() {
      flaky = 0;
    },
  };
};

const planned = ({ kind, later_ms }: NonNullable<WitnessInput['fails']>): Fault =>
  fault(kind, 'it fails because the plan says so', {
    source: 'witness',
    ...(later_ms !== undefined && { retry_after_ms: later_ms }),
  });

/** Before anything has happened: most that nobody planned passes, and some of it says no for good. */
const moodOf = (mishap: number): Fault => {
  const kind: FaultKind =
    mishap < 0.85 ? 'unavailable' : (rare[Math.floor((mishap - 0.85) * 20)] ?? 'throttled');
  return fault(kind, `the witness says no ${byChance}`, {
    source: 'witness',
    ...((kind === 'unavailable' || kind === 'throttled') && { retry_after_ms: 100 }),
  });
};

const rare: readonly FaultKind[] = ['throttled', 'refused', 'invalid'];

const lost = (effect: EffectClass): Fault =>
  fault('unanswered', `the reply got lost ${byChance}`, {
    source: 'witness',
    ...(effect !== 'unsafe' && { retry_after_ms: 100 }),
  });
