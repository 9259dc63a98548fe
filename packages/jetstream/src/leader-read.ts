import type { MsgRequest, StoredMsg } from '@nats-io/jetstream';
import type { Connection } from './connection.ts';

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
