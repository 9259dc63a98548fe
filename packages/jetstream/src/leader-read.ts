import { type Fault, fault } from '@foldmesh/envelope';
import type { MsgRequest, StoredMsg } from '@nats-io/jetstream';
import type { Connection } from './connection.ts';
import { retryAfterMs } from './settings.ts';

// A direct get is answered by any replica, two to five in a hundred times with what is not the last any more. What a
// decision rests on is asked of the leader, which costs the same.

/** The last message on a subject. */
export const lastOn = (connection: Connection, stream: string, subject: string): Promise<StoredMsg | null> =>
  connection.manager.streams.getMessage(stream, { last_by_subj: subject });

export const messageAt = (connection: Connection, stream: string, seq: number): Promise<StoredMsg | null> =>
  connection.manager.streams.getMessage(stream, { seq });

/** The first message on subjects of a pattern with that sequence or a later one. */
export const nextOn = (
  connection: Connection,
  stream: string,
  pattern: string,
  from: number,
): Promise<StoredMsg | null> =>
  connection.manager.streams.getMessage(stream, {
    seq: Math.max(1, from),
    next_by_subj: pattern,
  } as MsgRequest); // the server knows the field since 2.9, the client's types know it for direct gets alone

/** Whether a conflict means that it was stored before: a write that is still on its way conflicts too, and may yet be lost. */
export const isThere = async (connection: Connection, stream: string, subject: string): Promise<boolean> =>
  (await lastOn(connection, stream, subject)) !== null;

export const notYet = (subject: string, source: string): Fault =>
  fault('unanswered', `${subject} may be stored and is not there yet`, {
    source,
    retry_after_ms: retryAfterMs,
  });
