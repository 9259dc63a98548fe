import {
  encodeJson,
  type Fault,
  fault,
  Instant,
  JobId,
  json,
  Key,
  type MemoryWrite,
  nestsDeeperThan,
} from '@foldmesh/envelope';
import { z } from 'zod';

/** What `memory.write` answers. The id is that of the call: a write that was made three times is one fact. */
export const Remembered = z.strictObject({
  id: Key,
  /** It was there already, and stays as it was. */
  duplicate: z.boolean(),
});
export type Remembered = z.infer<typeof Remembered>;

/** A fact as `memory.query` gives it; `job` is the one that remembered it, `at` milliseconds UTC. */
export const Recalled = z.strictObject({
  text: z.string(),
  tags: z.array(z.string()).readonly(),
  data: json.optional(),
  job: JobId,
  at: Instant,
});
export type Recalled = z.infer<typeof Recalled>;

/** What `memory.query` answers: best first, of equals the newest. */
export const Recollection = z.strictObject({ facts: z.array(Recalled).readonly() });
export type Recollection = z.infer<typeof Recollection>;

/** A hundred facts, the most that one query gives, must fit one answer; so each has its bounds when it is written. */
export const factLimits = {
  bytesMax: 64 * 1024,
  /** Arrays and objects inside one another in a fact's data. */
  nestingMax: 32,
} as const;

/** Why a fact is too large to be remembered. */
export const factOverflow = ({ text, tags, data = null }: MemoryWrite): Fault | undefined => {
  // Before it is written out as text, which a value that is deep enough would not survive.
  if (nestsDeeperThan(data, factLimits.nestingMax))
    return fault('overflow', `the data of a fact is nested deeper than ${factLimits.nestingMax}`);
  const { length } = encodeJson({ text, tags: tags ?? [], data });
  return length > factLimits.bytesMax
    ? fault(
        'overflow',
        `a fact of ${length} bytes is too long to remember, the limit is ${factLimits.bytesMax}`,
      )
    : undefined;
};
