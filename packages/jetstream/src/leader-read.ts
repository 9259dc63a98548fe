import { encodeJson, type Fault, fault } from '@foldmesh/envelope';
import type { Connection } from './connection.ts';
import { codeOf, codes } from './faults.ts';
import { ownBytes } from './own-bytes.ts';
import { retryAfterMs } from './settings.ts';

// A direct get is answered by any replica, two to five in a hundred times with what is not the last any more. What a
// decision rests on is asked of the leader, which costs the same.

/** What a stream holds at one sequence. */
export interface StoredMessage {
  readonly subject: string;
  readonly seq: number;
  readonly data: Uint8Array;
  /** As they are on the wire; empty where there are none. */
  readonly headers: Uint8Array;
}

/** The last message on a subject. */
export const lastOn = (
  connection: Connection,
  stream: string,
  subject: string,
): Promise<StoredMessage | null> => read(connection, stream, { last_by_subj: subject });

export const messageAt = (
  connection: Connection,
  stream: string,
  seq: number,
): Promise<StoredMessage | null> => read(connection, stream, { seq });

/** The first message on subjects of a pattern with that sequence or a later one. */
export const nextOn = (
  connection: Connection,
  stream: string,
  pattern: string,
  from: number,
): Promise<StoredMessage | null> =>
  read(connection, stream, { seq: Math.max(1, from), next_by_subj: pattern });

/** What the server says of a message: its bytes in base64. */
interface GetAnswer {
  readonly message: {
    readonly subject: string;
    readonly seq: number;
    readonly data?: string;
    readonly hdrs?: string;
  };
}

const read = async (
  { asks }: Connection,
  stream: string,
  query: Readonly<Record<string, string | number>>,
): Promise<StoredMessage | null> => {
  try {
    const { message } = await asks.askJetStream<GetAnswer>(
      `$JS.API.STREAM.MSG.GET.${stream}`,
      encodeJson(query),
    );
    const { subject, seq, data = '', hdrs = '' } = message;
    return { subject, seq, data: bytesOf(data), headers: bytesOf(hdrs) };
  } catch (error) {
    if (codeOf(error) === codes.messageMissing) return null;
    throw error;
  }
};

const bytesOf = (base64: string): Uint8Array => ownBytes(Buffer.from(base64, 'base64'));

/** Whether a conflict means that it was stored before: a write that is still on its way conflicts too, and may yet be lost. */
export const isThere = async (connection: Connection, stream: string, subject: string): Promise<boolean> =>
  (await lastOn(connection, stream, subject)) !== null;

export const notYet = (subject: string, source: string): Fault =>
  fault('unanswered', `${subject} may be stored and is not there yet`, {
    source,
    retry_after_ms: retryAfterMs,
  });
