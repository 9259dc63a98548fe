import type { Draft } from './envelope.ts';
import { fail, fault, ok, type Result } from './fault.ts';
import { writeHeaders } from './headers.ts';
import { type Json, nestsDeeperThan } from './json.ts';
import { limits } from './limits.ts';
import { ReplySubject } from './party.ts';
import { type Seal, type Stamp, seal } from './seal.ts';
import { brokenIn } from './sound.ts';

/**
 * Seals what every receiver can open, and refuses the rest where it is made, with one fault: `overflow` for what is too
 * large, `invalid` for what is nested too deep, stands in no JSON, or has a `reply_to` that is no subject.
 */
export const sealFit = (draft: Draft, stamp: Stamp): Result<Seal> => {
  const what = `${draft.type} at ${draft.key}`;
  const payload = draft.payload as Json; // every payload has a schema of JSON
  if (nestsDeeperThan(payload, payloadNestingMax))
    return fail(fault('invalid', `${what}: the payload is nested deeper than ${payloadNestingMax}`));
  if (draft.reply_to !== undefined && !ReplySubject.safeParse(draft.reply_to).success)
    return fail(fault('invalid', `${what}: reply_to is no subject`));
  const sealed = tried(draft, stamp);
  if (sealed === undefined) return fail(fault('invalid', `${what}: ${brokenPlace(payload)}`));
  const claimBytes = sealed.claim?.length ?? 0;
  if (claimBytes > limits.bodyBytesMax)
    return fail(
      fault('overflow', `${what}: the payload has ${claimBytes} bytes, the limit is ${limits.bodyBytesMax}`),
    );
  const headerBytes = bytesOf(sealed);
  if (headerBytes > limits.headerBytesMax)
    return fail(
      fault(
        'overflow',
        `${what}: the headers have ${headerBytes} bytes, the limit is ${limits.headerBytesMax}`,
      ),
    );
  return ok(sealed);
};

/** The body around a payload is one level itself. */
const payloadNestingMax = limits.nestingMax - 1;

/** Undefined where a value of the payload can stand in no JSON; whatever else throws is a defect. */
const tried = (draft: Draft, stamp: Stamp): Seal | undefined => {
  try {
    return seal(draft, stamp);
  } catch (error) {
    if (brokenIn(draft.payload as Json) === undefined) throw error; // every payload has a schema of JSON
    return undefined;
  }
};

const brokenPlace = (payload: Json): string => {
  const { path, what } = brokenIn(payload) ?? { path: [], what: 'unreadable' };
  return `payload${path.map((step) => `.${step}`).join('')} has ${what}`;
};

/** Every header is ASCII: names, ids, digits, subjects. */
const bytesOf = ({ message }: Seal): number =>
  Object.entries(writeHeaders(message.headers)).reduce(
    (sum, [name, text]) => sum + name.length + text.length,
    0,
  );
