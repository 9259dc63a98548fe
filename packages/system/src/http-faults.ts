import { cut, type Fault, fault } from '@foldmesh/envelope';

const retryMs = 1_000;
const shownBytesMax = 256;

/** An address as it may stand in a message: what follows the `?` can hold secrets. */
export const shownUrl = (url: URL): string => cut(`${url.origin}${url.pathname}`, shownBytesMax);

/** Why a GET got no answer. It changed nothing, so whatever may pass by itself may be asked again. */
export const httpFault = (url: URL, error: unknown, signal: AbortSignal): Fault => {
  const at = `GET ${shownUrl(url)}`;
  if (signal.aborted) {
    return fault('unavailable', `${at}: stopped before the answer was there`, { retry_after_ms: retryMs });
  }
  const cause = error instanceof TypeError && error.cause !== undefined ? error.cause : error;
  if (!(cause instanceof Error)) throw error;
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  if (code === undefined && cause === error) throw error; // nobody on the way, but we
  if (cause.message === 'bad port')
    return fault('invalid', `${at}: this port is asked by nobody who speaks HTTP`);
  if (code === undefined)
    return fault('unavailable', `${at}: no answer in HTTP`, { retry_after_ms: retryMs });
  if (distrust.test(code)) return fault('unavailable', `${at}: its certificate is not trusted (${code})`);
  return fault('unavailable', `${at}: no answer (${code})`, { retry_after_ms: retryMs });
};

/** OpenSSL's and Node's names for a certificate that will not get better by asking again. */
const distrust = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|ERR_TLS/;
