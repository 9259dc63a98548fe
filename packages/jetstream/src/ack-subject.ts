/** What the subject that a delivery is acked on says of it. */
export interface AckSubject {
  /** 1 for the first. */
  readonly deliveries: number;
  /** Messages that wait at the consumer behind this one, those that come again not counted. */
  readonly pending: number;
}

/**
 * `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream seq>.<consumer seq>.<time>.<pending>`, or with domain and account before
 * the stream and, it may be, a random token behind.
 */
export const readAckSubject = (subject: string): AckSubject => {
  const tokens = subject.split('.');
  const first = tokens.length >= 11 ? 6 : 4;
  return { deliveries: Number(tokens[first] ?? 1), pending: Number(tokens[first + 4] ?? 0) };
};
