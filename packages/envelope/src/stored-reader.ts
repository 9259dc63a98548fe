import type { z } from 'zod';
import { StoredDefect } from './invariant.ts';
import type { Lifts } from './lifts.ts';
import { firstIssue } from './open.ts';

const noLifts: Lifts = [];

/**
 * Reads what we have stored ourselves, in whichever version we wrote it: lifted step by step as its `v` says, then checked.
 * What cannot be read, as what a newer build wrote, is a defect of this build (M8). `liftsOf` is given the `kind` of it.
 */
export const storedReader =
  <T>(what: string, schema: z.ZodType<T>, liftsOf: (kind: string) => Lifts = () => noLifts) =>
  (stored: unknown): T => {
    const { kind, v } = Object(stored) as { readonly kind?: unknown; readonly v?: unknown }; // `Object` makes one of anything
    const lifts = liftsOf(String(kind));
    if (typeof v === 'number' && v > lifts.length + 1)
      throw new StoredDefect(
        `M8: ${what}: v: version ${v} is newer than ${lifts.length + 1}, which this build reads`,
      );
    const steps = typeof v === 'number' && v >= 1 ? lifts.slice(v - 1) : [];
    const parsed = schema.safeParse(steps.reduce((older, step) => step(older), stored));
    if (parsed.success) return parsed.data;
    throw new StoredDefect(`M8: ${what} that this version cannot read: ${firstIssue(parsed.error)}`);
  };

/** The lifts that are listed for a kind; none for any other. */
export const liftsBy =
  (listed: Readonly<Record<string, Lifts | undefined>>) =>
  (kind: string): Lifts =>
    (Object.hasOwn(listed, kind) ? listed[kind] : undefined) ?? noLifts;
