import { fail, fault, ok, type RawHeaders, type Result } from '@foldmesh/envelope';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { Connection } from './connection.ts';
import { codeOf, codes } from './faults.ts';

/** What became of a message that was to be stored. */
export type Stored =
  | { readonly kind: 'stored'; readonly seq: number; readonly duplicate: boolean }
  /** The last message on its subject is not the expected one. It may be this very message, sent before. */
  | { readonly kind: 'conflict' }
  /** Its subject, or its stream, takes no more. */
  | { readonly kind: 'full'; readonly detail: string };

export interface ToStore {
  readonly subject: string;
  readonly body: Uint8Array;
  readonly headers?: RawHeaders;
  /** Stored under this id a moment ago, it is not stored again. */
  readonly id?: string;
  /** Sequence of the last message on the subject; 0: there is none yet. */
  readonly expected?: number;
}

const expectedHeader = 'Nats-Expected-Last-Subject-Sequence';
const idHeader = 'Nats-Msg-Id';

/**
 * One try: the client's own retries are off, whoever asks again knows what it means. The body is not copied: nobody may change
 * it until it is sent.
 */
export const store = async (connection: Connection, message: ToStore): Promise<Result<Stored>> => {
  const { nats, asks } = connection;
  const set = headersOf(message);
  const bytes = message.body.length + weightOf(set);
  // Between two servers there is none to know it from.
  const bytesMax = nats.info?.max_payload ?? Number.POSITIVE_INFINITY;
  if (bytes > bytesMax)
    return fail(
      fault('overflow', `the message has ${bytes} bytes, the server takes ${bytesMax}`, { source: 'nats' }),
    );
  try {
    const { seq, duplicate = false } = await asks.askJetStream<StoreAnswer>(
      message.subject,
      message.body,
      set,
    );
    return ok({ kind: 'stored', seq, duplicate });
  } catch (error) {
    const code = codeOf(error);
    if (code === codes.wrongLastSequence || code === codes.wrongLastSequenceUnknown)
      return ok({ kind: 'conflict' });
    if (code === codes.full) return ok({ kind: 'full', detail: String((error as Error).message) }); // an answer of the server
    throw error;
  }
};

interface StoreAnswer {
  readonly seq: number;
  readonly duplicate?: boolean;
}

/** Names, values, and what separates them on the wire. */
const weightOf = (set: MsgHdrs): number => {
  let weight = 12;
  for (const [name, values] of set) for (const value of values) weight += Buffer.byteLength(name + value) + 4;
  return weight;
};

const headersOf = ({ headers: raw = {}, id, expected }: ToStore): MsgHdrs => {
  const set = headers();
  for (const [name, value] of Object.entries(raw)) set.append(name, value);
  if (id !== undefined) set.append(idHeader, id);
  if (expected !== undefined) set.append(expectedHeader, String(expected));
  return set;
};
