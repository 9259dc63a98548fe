import {
  canonicalJson,
  fingerprint,
  type Json,
  json,
  kindOf,
  positionOf,
  sha256Hex,
  shardOf,
  wireIdOf,
  workSubject,
} from '@foldmesh/envelope';
import { goldenMessages } from '@foldmesh/envelope/internal';
import { z } from 'zod';

export const vectorsPath = 'packages/envelope/vectors/v1.json';

/** What another implementation must come to, too. */
export const Vectors = z.strictObject({
  messages: z.array(
    z.strictObject({
      name: z.string(),
      type: z.string(),
      /** Where it is addressed to. */
      to: z.strictObject({ service: z.string(), pool: z.string() }),
      lane: z.enum(['submit', 'decide', 'call']),
      key: z.string(),
      attempt: z.int(),
      epoch: z.int(),
      shard: z.string(),
      subject: z.string(),
      wire_id: z.string(),
      payload: json,
      /** Payload fields that only carry: they are not in `canonical`. */
      carries: z.array(z.string()),
      canonical: z.string(),
      fingerprint: z.string(),
    }),
  ),
  canonical: z.array(z.strictObject({ value: json, canonical: z.string(), sha256: z.string() })),
});
export type Vectors = z.infer<typeof Vectors>;

const epoch = 1;

export const testVectors = (): Vectors => ({
  messages: goldenMessages()
    .filter(({ fixture }) => fixture.headers['Mesh-Epoch'] === String(epoch))
    .map(({ name, draft }) => {
      const { type, to, key, attempt } = draft;
      const { lane, carries = [] } = {
        ...kindOf(type),
        ...(draft.lane !== undefined && { lane: draft.lane }),
      };
      const payload = JSON.parse(JSON.stringify(draft.payload)) as { readonly [field: string]: Json }; // every payload is an object
      const identity = Object.fromEntries(
        Object.entries(payload).filter(([field]) => !carries.includes(field)),
      );
      return {
        name,
        type,
        to: { ...to },
        lane,
        key,
        attempt,
        epoch,
        shard: shardOf(positionOf(key).job),
        subject: workSubject(type, to, key, attempt, lane),
        wire_id: wireIdOf(type, key, attempt, epoch),
        payload,
        carries: [...carries],
        canonical: canonicalJson({ type, payload: identity }),
        fingerprint: fingerprint(type, payload),
      };
    }),
  canonical: oddities.map((value) => {
    const canonical = canonicalJson(value);
    return { value, canonical, sha256: sha256Hex(canonical) };
  }),
});

/** Where two implementations of RFC 8785 most easily differ: the order of names, numbers, escapes. */
const oddities: readonly Json[] = [
  null,
  '',
  { b: 2, a: 1, aa: 3, A: 4, '': 5, 'a b': 6 },
  { '€': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u0080': 5, '😀': 6, ö: 7 },
  [0, 1, -1, 0.1, 1e21, 1e-7, 123456789012, 4.5, 2e-3, 1e23, 9007199254740991, 333333333.3333333],
  'ünïcödé 🦊 "quoted" \\ / \b\f\n\r\t \u0001 \u007f \u2028',
  [{ z: [], y: {} }, [[true, false]]],
];
