import {
  Digest,
  decodeJson,
  Fault,
  fail,
  fault,
  Instant,
  json,
  Outcome,
  ok,
  type Result,
} from '@foldmesh/envelope';
import type { Later, Peeked, Stored } from '@foldmesh/ports';
import { z } from 'zod';
import { source } from './redis-fault.ts';

/** What a finished record keeps, as it comes back from the server. */
const StoredRecord = z.strictObject({ outcome: Outcome, extra: json.optional() });

/** A record as it is looked at without a script: see `inbox-scripts.ts` for its lines. */
const recordPattern =
  /^(?<status>[a-z]+) \S+ (?<lease>\d+) (?<strikes>\d+) (?<tries>\d+) \d (?<print>[0-9a-f]{64})\n(?<owner>[^\n]*)\n(?<label>[^\n]*)\n(?<stored>[^\n]*)$/;

const text = z.string();
const count = z.coerce.number();
const Peekable = z.object({
  status: text,
  lease: count,
  strikes: count,
  tries: count,
  print: text,
  owner: text,
  label: text,
  stored: text,
});

export const storedOf = (text: string): Result<Stored> => {
  const decoded = decodeJson(encoder.encode(text));
  if (!decoded.ok) return unreadable(decoded.fault.detail);
  const parsed = StoredRecord.safeParse(decoded.value);
  if (!parsed.success) return unreadable(z.prettifyError(parsed.error));
  const { outcome, extra } = parsed.data;
  return ok(extra === undefined ? { outcome } : { outcome, extra });
};

/** What the last try of a released record was told. */
const LaterRecord = z.strictObject({ fault: Fault, until: Instant });

const laterOf = (text: string): Result<Later> => {
  const decoded = decodeJson(encoder.encode(text));
  const parsed = LaterRecord.safeParse(decoded.ok ? decoded.value : undefined);
  return parsed.success ? ok(parsed.data) : unreadable('what its last try was told has another shape');
};

export const textIn = (quoted: string, what: 'label' | 'owner'): Result<string> => {
  const decoded = decodeJson(encoder.encode(quoted));
  return decoded.ok && typeof decoded.value === 'string'
    ? ok(decoded.value)
    : unreadable(`its ${what} is no text`);
};

export const peekedOf = (text: string): Result<Peeked> => {
  const found = Peekable.safeParse(recordPattern.exec(text)?.groups);
  if (!found.success) return unreadable('its lines are not those of a record');
  const { status, lease, strikes, tries, print, owner: holder, label: quoted, stored: kept } = found.data;
  const label = textIn(quoted, 'label');
  if (!label.ok) return label;
  const known = { print: Digest.parse(print), label: label.value, strikes, tries };
  if (status === 'claimed' || status === 'started') {
    const owner = textIn(holder, 'owner');
    return owner.ok ? ok({ ...known, holder: { owner: owner.value, until: lease } }) : owner;
  }
  if (status === 'released' && kept !== '') {
    const later = laterOf(kept);
    return later.ok ? ok({ ...known, later: later.value }) : later;
  }
  if (status !== 'settled') return ok(known);
  const stored = storedOf(kept);
  return stored.ok ? ok({ ...known, stored: stored.value }) : stored;
};

const encoder = new TextEncoder();

/** Never overwritten: whoever wrote it may have run what it stands for. */
const unreadable = (why: string) =>
  fail(fault('invalid', `a record of the inbox is unreadable: ${why}`, { source }));
