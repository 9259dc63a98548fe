import type { Cause } from '@foldmesh/client';

/** A cause, and what makes another one the same. */
export interface Seen {
  readonly like: string;
  readonly cause: Cause;
}

/** Causes of one reason on one thing are alike. */
export const seen = (cause: Cause): Seen => ({ like: `${cause.reason} ${cause.on}`, cause });

/** What others wait for comes first; what is well under way, and what only waits its turn, last. */
const order: readonly Cause['reason'][] = [
  'ended',
  'storage',
  'build',
  'paused',
  'no_worker',
  'answer',
  'timer',
  'no_slot',
  'provider_quota',
  'retry',
  'call',
  'concurrency',
  'dependency',
  'dead_letter',
];

const rankOf = ({ reason }: Cause): number => {
  const at = order.indexOf(reason);
  return at < 0 ? order.length : at;
};

const causesMax = 20;
/** Tasks that a group of causes names. */
export const examplesMax = 5;

/** Alike ones as one with examples, the pressing ones first; and how many kinds of them were left out. */
export const gathered = (
  all: readonly Seen[],
): { readonly causes: readonly Cause[]; readonly left_out: number } => {
  const groups = new Map<string, Cause[]>();
  for (const { like, cause } of all) {
    const group = groups.get(like);
    if (group === undefined) groups.set(like, [cause]);
    else group.push(cause);
  }
  const causes = [...groups.values()]
    .map(joined)
    .toSorted((one, other) => rankOf(one) - rankOf(other) || one.since - other.since);
  return { causes: causes.slice(0, causesMax), left_out: Math.max(0, causes.length - causesMax) };
};

const joined = (alike: readonly Cause[]): Cause => {
  const [first, ...others] = alike as readonly [Cause, ...Cause[]]; // a group begins with its first
  if (others.length === 0) return first;
  const tasks = [...new Set(alike.flatMap(({ task, examples }) => examples ?? task ?? []))];
  const untils = alike.flatMap(({ until }) => until ?? []);
  return {
    ...first,
    since: others.reduce((soonest, { since }) => Math.min(soonest, since), first.since),
    ...(untils.length > 0 && { until: untils.reduce((soonest, until) => Math.min(soonest, until)) }),
    text: `${first.text} (and ${others.length} more like it)`,
    ...(tasks.length > 0 && {
      count: alike.reduce((sum, { count = 1 }) => sum + count, 0),
      examples: tasks.slice(0, examplesMax),
    }),
  };
};
