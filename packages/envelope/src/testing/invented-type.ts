import { z } from 'zod';
import type { Kind } from '../catalogue.ts';

/** What version 1 of an invented type said. */
const First = z.strictObject({ path: z.string() });

/**
 * An invented history of `tool.call`, so that lifting is tried before a real type needs it: version 1 read one file,
 * version 2 is what `tool.call` says today.
 */
export const inventedKind = (today: Kind): Kind => ({
  ...today,
  v: 2,
  lifts: [(older) => ({ tool: 'files.read', input: { path: First.parse(older).path } })],
});
