import type { Amounts } from '@foldmesh/envelope';
import type { Account } from '@foldmesh/ports';

type QuotaAccount = Extract<Account, { kind: 'quota' }>;

/** By unit what is used of a quota, and the instant (ms UTC) up to which it has refilled. */
export type Quota = Map<string, { readonly used: number; readonly at: number }>;

/** How long until `amount` fits; 0: it does. */
export const turnOf = (
  quota: Quota | undefined,
  { limits, windowMs }: QuotaAccount,
  unit: string,
  amount: number,
  now: number,
): number => {
  const limit = limits[unit] ?? 0;
  const { used, at } = levelOf(quota, unit, limit, windowMs, now);
  const missing = used + amount - limit;
  return missing > 0 ? at + Math.ceil((missing * windowMs) / limit) - now : 0;
};

/** Counts what was taken, less what was reserved for it; says in how many milliseconds all will have come back. */
export const draw = (
  quota: Quota,
  { limits, windowMs }: QuotaAccount,
  took: Amounts,
  less: Amounts,
  now: number,
): number => {
  let fullMs = 0;
  for (const [unit, limit] of Object.entries(limits)) {
    if (limit === 0) continue;
    const change = (took[unit] ?? 0) - (less[unit] ?? 0);
    const level = levelOf(quota, unit, limit, windowMs, now);
    const used = Math.max(0, level.used + change);
    quota.set(unit, { used, at: level.at });
    fullMs = Math.max(fullMs, Math.ceil((used * windowMs) / limit));
  }
  return fullMs;
};

/** Whole units come back, each at its instant, so nothing is lost between two looks. */
const levelOf = (
  quota: Quota | undefined,
  unit: string,
  limit: number,
  windowMs: number,
  now: number,
): { readonly used: number; readonly at: number } => {
  const known = quota?.get(unit);
  if (known === undefined) return { used: 0, at: now };
  const at = Math.min(known.at, now);
  const gained = Math.floor(((now - at) * limit) / windowMs);
  if (gained >= known.used) return { used: 0, at: now };
  return { used: known.used - gained, at: at + Math.ceil((gained * windowMs) / limit) };
};
