import { decodeJson, EnvelopeBody, type Fault, kindOf, replySubject } from '@foldmesh/envelope';
import type { Api } from './api-call.ts';

/** What a manager says to the one who waits for a job's first entry, when there will be none. */
export interface HeardRefusal extends AsyncDisposable {
  readonly reply_to: string;
  /** Aborts when it has been said. */
  readonly signal: AbortSignal;
  fault(): Fault | undefined;
}

export const hearRefusal = ({ ports }: Pick<Api, 'ports'>): HeardRefusal => {
  const reply_to = replySubject(`api-${ports.random.hex(12)}`);
  const said = new AbortController();
  let fault: Fault | undefined;
  const listening = ports.bus.listen(reply_to, (bytes) => {
    fault = refusalIn(bytes) ?? fault;
    if (fault !== undefined) said.abort();
  });
  return {
    reply_to,
    signal: said.signal,
    fault: () => fault,
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
};

const refusalIn = (bytes: Uint8Array): Fault | undefined => {
  const decoded = decodeJson(bytes);
  const body = decoded.ok ? EnvelopeBody.safeParse(decoded.value).data : undefined;
  if (body?.type !== 'job.settle') return undefined;
  const settle = kindOf('job.settle').payload.safeParse(body.payload);
  return settle.success ? (settle.data as { readonly fault: Fault }).fault : undefined; // the catalogue's schema of this type
};
