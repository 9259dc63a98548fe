import {
  decodeJson,
  type Envelope,
  type Fault,
  isNewer,
  type Key,
  type MeshHeaders,
  openOuter,
  openPayload,
  positionOf,
  queueOf,
  readHeaders,
  sha256Hex,
  type WireId,
} from '@foldmesh/envelope';
import type { Delivery, Ports } from '@foldmesh/ports';
import { believed, blobFault, isGone } from './gone.ts';
import { handBack } from './hand-back.ts';

/** What became of a delivery when it was opened. */
export type Opened =
  | { readonly kind: 'open'; readonly headers: MeshHeaders; readonly envelope: Envelope }
  /** A version that only somebody newer reads: hand it back untouched. */
  | { readonly kind: 'newer'; readonly headers: MeshHeaders }
  /** Nobody will ever read it. */
  | { readonly kind: 'bad'; readonly headers?: MeshHeaders; readonly fault: Fault }
  /** Its payload lies in a store that does not answer. */
  | { readonly kind: 'unreachable'; readonly headers: MeshHeaders; readonly fault: Fault };

/** Headers first: they suffice to claim, hand back or park what cannot be read. */
export const openDelivery = async (
  { blobs, clock }: Pick<Ports, 'blobs' | 'clock'>,
  delivery: Delivery,
): Promise<Opened> => {
  const read = readHeaders(delivery.headers);
  if (!read.ok) return { kind: 'bad', fault: read.fault };
  const headers = read.value;
  if (isNewer(headers)) return { kind: 'newer', headers };
  const outer = openOuter(headers, delivery.body);
  if (!outer.ok) return { kind: 'bad', headers, fault: outer.fault };
  const { claim, body } = outer.value;
  if (claim === undefined) return opened(headers, openPayload(headers, outer.value));
  const { tenant, job } = positionOf(headers.key);
  const bytes = await blobs.get(tenant, job, claim.digest);
  if (!bytes.ok) {
    const why = believed(blobFault(bytes.fault), body.created_at, clock.now());
    return { kind: isGone(why) ? 'bad' : 'unreachable', headers, fault: why };
  }
  const payload = decodeJson(bytes.value);
  return payload.ok
    ? opened(headers, openPayload(headers, outer.value, payload.value))
    : { kind: 'bad', headers, fault: payload.fault };
};

const opened = (headers: MeshHeaders, result: ReturnType<typeof openPayload>): Opened =>
  result.ok
    ? { kind: 'open', headers, envelope: result.value }
    : { kind: 'bad', headers, fault: result.fault };

/** Sets a message aside whole, with the reason. Its id is the wire id, or a digest where it has none, so there is one. */
export const park = async (
  ports: Ports,
  delivery: Delivery,
  reason: string,
  strikes = 0,
): Promise<boolean> => {
  const at = ports.clock.now();
  const of = queueOf(delivery.subject);
  const id = delivery.headers['Nats-Msg-Id'];
  const stored = await ports.dead.put({
    id: (id !== undefined && /^[0-9a-f]{32}$/.test(id)
      ? id
      : sha256Hex(delivery.body).slice(0, 32)) as WireId, // 32 hex digits either way
    tenant: of?.tenant ?? 'unknown',
    job: of?.job ?? 'unknown',
    key: delivery.headers['Mesh-Key'] as Key | undefined, // as the sender wrote it: a dead letter keeps what there was
    subject: delivery.subject,
    headers: delivery.headers,
    body: delivery.body,
    reason,
    strikes,
    first_at: Number(delivery.headers['Mesh-Since']) || at,
    last_at: at,
  });
  ports.log('warn', 'dead letter', { subject: delivery.subject, reason });
  return stored.ok;
};

/** Acked only when the dead letter is stored: else it comes again, and is parked then. */
export const parkAndAck = async (ports: Ports, delivery: Delivery, reason: string): Promise<void> => {
  if (await park(ports, delivery, reason)) await delivery.ack();
  else await handBack(ports, delivery);
};
