import type { Cause } from '@foldmesh/client';
import type { Later, Peeked } from '@foldmesh/ports';
import type { Look } from './look.ts';
import { agoOf, countOf, inTimeOf, nearMs } from './spans.ts';

/** Work that was asked for, as a sentence about it begins. */
export interface Asked {
  readonly what: string;
  readonly task: string;
  readonly since: number;
  readonly until: number | undefined;
  /** Whose provider is asked: `tool desk.ask`, `model of agent clerk`. */
  readonly who: string;
}

/** `silent`: its holder has lost its lease, in words; whoever gets the work next takes over. */
export interface HeldCause {
  readonly cause: Cause;
  readonly silent?: string;
}

/** What the inbox knows: somebody has it, had it, or has said what came of it; undefined where nobody is known to. */
export const heldCause = (
  { now }: Pick<Look, 'now'>,
  asked: Asked,
  { holder, stored, later, strikes, tries }: Peeked,
): HeldCause | undefined => {
  const { what, task, since, until } = asked;
  if (later !== undefined) return laterCause(now, asked, later, tries);
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

/** Its time over, it is about to come again: then its queue says more. */
const laterCause = (
  now: number,
  { what, task, since, who }: Asked,
  { fault: { kind, detail }, until }: Later,
  tries: number,
): HeldCause | undefined => {
  if (until <= now) return undefined;
  // Only of one that says so is it known that it has too much to do.
  const isQuota = kind === 'throttled';
  const text = `${what} waits for its ${isQuota ? 'provider' : 'next try'} until ${new Date(until).toISOString()}, ${inTimeOf(now, until)}: ${countOf(tries, 'try', 'tries')} failed, the last one ${kind}: ${detail}`;
  const reason = isQuota ? 'provider_quota' : 'retry';
  return { cause: { task, reason, since, until, on: who, text } };
};
