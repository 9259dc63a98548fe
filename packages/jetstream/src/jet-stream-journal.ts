import {
  fail,
  fault,
  invariant,
  journalOf,
  journalPattern,
  journalSubject,
  ok,
  type Result,
} from '@foldmesh/envelope';
import type { Appended, Entity, Journal, Recorded } from '@foldmesh/ports';
import { asking, type Connection } from './connection.ts';
import { followJournal } from './follow-journal.ts';
import { lastOn, messageAt, nextOn, type StoredMessage } from './leader-read.ts';
import { ownBytes } from './own-bytes.ts';
import { store } from './publish.ts';
import { streamNames } from './streams.ts';

const source = 'nats-journal';

/** The journal: one stream, a subject for each entity, and the expected sequence on it as the only lock. */
export const jetStreamJournal = (connection: Connection): Journal => {
  const ask = asking(connection, source);
  return {
    append: ({ entity, entry, expected, id }) => {
      const wanted = { subject: journalSubject(entity), body: ownBytes(entry), id, expected };
      return ask(async (): Promise<Result<Appended>> => {
        const stored = await store(connection, wanted);
        if (!stored.ok) return stored;
        if (stored.value.kind === 'conflict') return ok(stored.value);
        if (stored.value.kind === 'stored') return ok({ kind: 'stored', seq: stored.value.seq });
        // Somebody has to make room; then it is asked again.
        return fail(fault('unavailable', stored.value.detail, { source, retry_after_ms: 1_000 }));
      });
    },
    last: (entity) =>
      ask(async () => ok(recordedOf(await lastOn(connection, streamNames.journal, journalSubject(entity))))),
    at: (entity, seq) =>
      ask(async () => {
        const found = seq < 1 ? null : await messageAt(connection, streamNames.journal, seq);
        return ok(found?.subject === journalSubject(entity) ? recordedOf(found) : undefined);
      }),
    read: (entity, from, limit) => ask(async () => ok(await readFrom(connection, entity, from, limit))),
    follow: ({ tenant, job }, from, signal) => {
      const pattern = journalPattern({ tenant, job });
      return followJournal(connection, { pattern, from, signal }, (next) =>
        nextEntry(connection, pattern, next),
      );
    },
  };
};

const readFrom = async (
  connection: Connection,
  entity: Entity,
  from: number,
  limit: number,
): Promise<readonly Recorded[]> => {
  const subject = journalSubject(entity);
  const entries: Recorded[] = [];
  for (let next = from; entries.length < limit; ) {
    const found = recordedOf(await nextOn(connection, streamNames.journal, subject, next));
    if (found === undefined) break;
    entries.push(found);
    next = found.seq + 1;
  }
  return entries;
};

/** Whatever else somebody has put on a subject of the job is passed over, or a follower would not get beyond it. */
const nextEntry = async (
  connection: Connection,
  pattern: string,
  from: number,
): Promise<Recorded | undefined> => {
  for (let next = from; ; ) {
    const message = await nextOn(connection, streamNames.journal, pattern, next);
    if (message === null) return undefined;
    const { subject, seq, data } = message;
    const entity = journalOf(subject);
    if (entity !== undefined) return { entity, seq, entry: data };
    connection.settings.log('warn', 'the journal has what is no entry', { subject, seq });
    next = seq + 1;
  }
};

const recordedOf = (message: StoredMessage | null): Recorded | undefined => {
  if (message === null) return undefined;
  const entity = journalOf(message.subject);
  invariant(entity, `${message.subject} is no subject of the journal`);
  return { entity, seq: message.seq, entry: message.data };
};
