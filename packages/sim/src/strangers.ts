import { readdirSync, readFileSync } from 'node:fs';
import {
  type Json,
  queueOf,
  type RawHeaders,
  readHeaders,
  type Sealed,
  type WireId,
} from '@foldmesh/envelope';
import { z } from '@foldmesh/sdk';

const Fixture = z.object({
  subject: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

/** Messages of the first version as they were frozen: what a build of another time may have left in a queue. */
const frozen = (): readonly (readonly [string, z.output<typeof Fixture>])[] => {
  const folder = new URL('../../envelope/fixtures/v1/', import.meta.url);
  // A submit would make the job known, and a halt rightly takes all that waits for it along.
  const names = readdirSync(folder).filter(
    (name) => name.endsWith('.json') && !/^job\.(submit|halt)/.test(name),
  );
  return names
    .toSorted()
    .map((name) => [name, Fixture.parse(JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Json)]); // JSON.parse yields nothing else
};

const fixtures = frozen();
/** Whose messages the frozen ones are. */
export const strangersJob = 'j-7f3d';
const newerVersion = 99;
/** How long a message that nobody here can read waits for somebody who can. Milliseconds. */
const patienceMs = 4_000;

/** A message that an older build has left behind, about a job that nobody knows any more. */
export const olderEnvelope = (which: number): Sealed => {
  const { subject, headers, body } = pick(which);
  return sealedOf(subject, headers, new TextEncoder().encode(body));
};

/** A message that only a newer build can read: to be handed on untouched, and set aside whole when its time is over. */
export const newerEnvelope = (which: number, now: number, id: WireId): Sealed => {
  const { subject, headers } = pick(which);
  const [, ...reversed] = subject.split('.').toReversed();
  return sealedOf(
    // Another attempt than the frozen one, so that they do not meet on one subject.
    [...reversed.toReversed(), newerVersion].join('.'),
    {
      ...headers,
      'Nats-Msg-Id': id,
      'Mesh-V': String(newerVersion),
      'Mesh-Attempt': String(newerVersion),
      'Mesh-Since': String(now),
      'Mesh-Deadline': String(now + patienceMs),
    },
    new TextEncoder().encode(`{"v":${newerVersion},"said":"in a shape of its own ${id}"}`),
  );
};

const pick = (which: number): z.output<typeof Fixture> => {
  const found = fixtures[which % fixtures.length];
  if (found === undefined) throw new Error('there are no fixtures of envelopes');
  return found[1];
};

const sealedOf = (subject: string, raw: RawHeaders, body: Uint8Array): Sealed => {
  const headers = readHeaders(raw);
  const queue = queueOf(subject);
  if (!headers.ok || queue === undefined) throw new Error(`the fixture ${subject} cannot be sent`);
  return { subject, queue, headers: headers.value, body };
};
