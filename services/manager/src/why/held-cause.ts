import type { Cause } from '@foldmesh/client';
import type { Peeked } from '@foldmesh/ports';
import type { Look } from './look.ts';
import { agoOf, countOf, inTimeOf, nearMs } from './spans.ts';

/** Work that was asked for, as a sentence about it begins. */
export interface Asked {
  readonly what: string;
  readonly task: string;
  readonly since: number;
  readonly until: number | undefined;
}

/** `silent`: its holder has lost its lease, in words; whoever gets the work next takes over. */
export interface HeldCause {
  readonly cause: Cause;
  readonly silent?: string;
}

/** What the inbox knows: somebody has it, had it, or has said what came of it; undefined where nobody is known to. */
export const heldCause = (
  { now }: Pick<Look, 'now'>,
  { what, task, since, until }: Asked,
  { holder, stored, strikes, tries }: Peeked,
): HeldCause | undefined => {
  const here = { task, reason: 'call' as const, since, ...(until !== undefined && { until }) };
  if (stored !== undefined) {
    const text = `${what} has ended (${stored.outcome.kind}), and what came of it is on the way to whoever asked`;
    return { cause: { ...here, on: 'manager', text } };
  }
  if (holder === undefined) return undefined;
  const on = holder.owner.split('/')[0] ?? holder.owner;
  const before = [
    ...(strikes > 0 ? [`${countOf(strikes, 'try', 'tries')} before it ended without a word`] : []),
    ...(tries > 0 ? [`${countOf(tries, 'try', 'tries')} before it failed`] : []),
    ...(until !== undefined && until - now < nearMs ? [`it is given up ${inTimeOf(now, until)}`] : []),
  ];
  const more = before.map((words) => `; ${words}`).join('');
  if (holder.until >= now)
    return { cause: { ...here, on, text: `${what} is in hand at ${on}, asked ${agoOf(now, since)}${more}` } };
  const silent = `it was in hand at ${on}, which fell silent: its lease ran out ${agoOf(now, holder.until)}`;
  const text = `${what} waits for whoever takes it over: ${silent}${more}`;
  return { cause: { ...here, on, text }, silent };
};
