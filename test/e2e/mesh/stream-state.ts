import type { NatsServer } from '@foldmesh/testbed';

/** What lies in a stream, and what its consumers have yet to hear or to acknowledge. */
export interface StreamState {
  readonly messages: number;
  readonly pending: number;
}

interface StreamDetail {
  readonly name: string;
  readonly state: { readonly messages: number };
  readonly consumer_detail?: readonly {
    readonly name: string;
    readonly num_pending: number;
    readonly num_ack_pending: number;
  }[];
}

interface Jsz {
  readonly account_details?: readonly { readonly stream_detail?: readonly StreamDetail[] }[];
}

const streamsOf = async ({ monitorUrl }: NatsServer): Promise<readonly StreamDetail[]> => {
  const response = await fetch(`${monitorUrl}/jsz?streams=1&consumers=1`);
  const { account_details = [] } = (await response.json()) as Jsz; // as the server documents it
  return account_details.flatMap(({ stream_detail = [] }) => stream_detail);
};

/** By the name of the stream, as the server itself counts. */
export const streamStates = async (nats: NatsServer): Promise<Readonly<Record<string, StreamState>>> =>
  Object.fromEntries(
    (await streamsOf(nats)).map(({ name, state, consumer_detail = [] }) => [
      name,
      {
        messages: state.messages,
        pending: consumer_detail.reduce((sum, one) => sum + one.num_pending + one.num_ack_pending, 0),
      },
    ]),
  );

/** The names of a stream's consumers. */
export const consumersOf = async (nats: NatsServer, stream: string): Promise<readonly string[]> =>
  (await streamsOf(nats))
    .filter(({ name }) => name === stream)
    .flatMap(({ consumer_detail = [] }) => consumer_detail.map(({ name }) => name));
