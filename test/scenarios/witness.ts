import { fail, fault, type Json, type Key, type Result } from '@foldmesh/envelope';
import type { Clock, Random } from '@foldmesh/ports';
import { defineTool, type EffectClass, ok, type Tool, type ToolCall, z } from '@foldmesh/sdk';

/** What happens to one run of a witness tool beside its row. */
export type Mishap =
  /** The row is written, and nobody is told. */
  | 'commit-then-drop-reply'
  /** The row is written, and it hangs until it is told to stop. */
  | 'commit-then-hang'
  /** The same, and it does not listen. */
  | 'commit-then-deaf'
  /** The row is written, the reply gets lost, and it says to come again whatever that would do. */
  | 'commit-then-say-again'
  /** The row is written, and its answer is not what it declares. */
  | 'commit-then-garble'
  /** Nothing is done, and it says so. */
  | 'fail-before-commit'
  | 'none';

export interface Row {
  readonly effect: EffectClass;
  readonly id: string;
  readonly key: Key;
  readonly at: number;
}

/** The world outside: each side effect is one row, and it outlives every service. */
export interface Witness {
  readonly rows: Row[];
  /** How often a tool was run for an id, whatever came of it. */
  readonly runs: Map<string, number>;
  /** The tools as one process has them: its clock is cut off with it. */
  toolsOn(clock: Clock): readonly Tool[];
  /** What befalls the next runs for an id, in order. */
  befall(id: string, ...mishaps: Mishap[]): void;
  rowsOf(id: string): readonly Row[];
}

export interface WitnessSettings {
  readonly random: Random;
  /** How often a run meets a mishap that nobody has planned, from 0 to 1. */
  readonly flaky?: number;
  readonly timeoutMs?: number;
  /** Hears when a row has been written. */
  readonly onRan: (id: string) => void;
}

const WitnessInput = z.strictObject({
  id: z.string(),
  /** How long it takes. */
  ms: z.number().optional(),
  /** How long its answer is, beside its names. */
  bytes: z.number().optional(),
  note: z.unknown().optional(),
});

export const witness = (settings: WitnessSettings): Witness => {
  const { random, flaky = 0, timeoutMs = 20_000, onRan } = settings;
  const rows: Row[] = [];
  const runs = new Map<string, number>();
  const planned = new Map<string, Mishap[]>();

  const mishapFor = (id: string): Mishap => {
    const next = planned.get(id)?.shift();
    if (next !== undefined) return next;
    if (flaky === 0 || random.float() >= flaky) return 'none';
    return random.float() < 0.5 ? 'commit-then-drop-reply' : 'fail-before-commit';
  };

  const commit = (effect: EffectClass, id: string, key: Key, at: number): void => {
    // A keyed system knows the caller's key, an idempotent one is where it was told to be, a read changes nothing.
    const known = rows.some((row) => (effect === 'keyed' ? row.key === key : row.id === id));
    if (effect === 'unsafe' || !known) rows.push({ effect, id, key, at });
    onRan(id);
  };

  const run = async (
    clock: Clock,
    effect: EffectClass,
    { id, ms = 0, bytes = 0 }: z.output<typeof WitnessInput>,
    { key, signal }: ToolCall,
  ): Promise<Result<Json>> => {
    runs.set(id, (runs.get(id) ?? 0) + 1);
    const mishap = mishapFor(id);
    if (mishap === 'fail-before-commit')
      return fail(fault('unavailable', 'the witness is busy', { source: 'witness', retry_after_ms: 100 }));
    await clock.sleep(ms, signal);
    if (signal.aborted) return fail(fault('unanswered', 'stopped before it had done anything'));
    commit(effect, id, key, clock.now());
    if (mishap === 'commit-then-deaf') await new Promise(() => {});
    if (mishap === 'commit-then-hang') await clock.sleep(Number.POSITIVE_INFINITY, signal);
    if (mishap === 'commit-then-garble') return ok({ garbled: true });
    if (mishap !== 'none')
      return fail(
        fault('unanswered', 'the reply got lost', {
          source: 'witness',
          ...((effect !== 'unsafe' || mishap === 'commit-then-say-again') && { retry_after_ms: 100 }),
        }),
      );
    return ok({ id, says: 'x'.repeat(bytes) });
  };

  return {
    rows,
    runs,
    toolsOn: (clock) =>
      (['read', 'idempotent', 'keyed', 'unsafe'] as const).map((effect) =>
        defineTool({
          name: `witness.${effect}`,
          effect,
          input: WitnessInput,
          output: z.strictObject({ id: z.string(), says: z.string() }),
          timeoutMs,
          run: (input, call) =>
            run(clock, effect, input, call) as Promise<Result<{ id: string; says: string }>>, // or what is wrong on purpose
        }),
      ),
    befall: (id, ...mishaps) => void planned.set(id, [...(planned.get(id) ?? []), ...mishaps]),
    rowsOf: (id) => rows.filter((row) => row.id === id),
  };
};
