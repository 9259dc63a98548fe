import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { fail, fault, joinBytes, ok, type Result } from '@foldmesh/envelope';
import type { Http, HttpRequest, HttpResponse } from '@foldmesh/ports';
import { addressRefusal, hostRefusal } from './host-rule.ts';
import { httpFault, shownUrl } from './http-faults.ts';

export interface HttpSettings {
  /** Hosts that may be asked, also when a redirect leads to them; when absent all of the internet, and nothing nearer. */
  readonly allow?: readonly string[] | undefined;
  /** The addresses of a name. */
  readonly addressesOf?: (name: string) => Promise<readonly string[]>;
}

interface Errand extends HttpRequest {
  readonly allow: readonly string[] | undefined;
  readonly addressesOf: (name: string) => Promise<readonly string[]>;
  readonly signal: AbortSignal;
}

const redirectsMax = 5;

/**
 * The world over HTTP. Every hop of a redirect is held to the same rules, and by its addresses, so that no name leads to
 * a cloud's metadata service or into a private network that nobody named. (The name is looked up again to connect; who answers differently within that moment gets
 * through, which only a connection of our own could prevent.)
 */
export const systemHttp = ({ allow, addressesOf = allAddressesOf }: HttpSettings = {}): Http => ({
  get: (request, signal) => get({ ...request, allow, addressesOf, signal }),
});

const get = async (errand: Errand): Promise<Result<HttpResponse>> => {
  const first = URL.parse(errand.url);
  if (first === null) return fail(fault('invalid', 'the url cannot be read as an absolute address'));
  const headers = headersOf(errand.headers);
  if (!headers.ok) return headers;
  let url = first;
  let sent = headers.value;
  for (let hop = 0; ; hop += 1) {
    const answered = await ask(errand, url, sent);
    if (!answered.ok) return answered;
    const next = redirectOf(answered.value, url);
    if (next === undefined) return answeredBy(errand, url, answered.value);
    await answered.value.body?.cancel().catch(() => undefined); // nobody wants it, so nothing about it can be wrong
    if (hop === redirectsMax) {
      return fail(fault('invalid', `GET ${shownUrl(first)}: more than ${redirectsMax} redirects`));
    }
    if (next.origin !== url.origin) sent = harmlessOf(sent);
    url = next;
  }
};

const headersOf = (headers: Readonly<Record<string, string>>): Result<Headers> => {
  try {
    return ok(new Headers(headers));
  } catch {
    // The message of the platform repeats the value, and that may be a secret.
    return fail(fault('invalid', `one of the headers ${Object.keys(headers).join(', ')} cannot be sent`));
  }
};

const ask = async (errand: Errand, url: URL, headers: Headers): Promise<Result<Response>> => {
  const refusal = hostRefusal(url, errand.allow);
  if (refusal !== undefined) return fail(fault('refused', `GET ${shownUrl(url)}: ${refusal}`));
  const { signal } = errand;
  try {
    for (const address of await unlessAborted(signal, () => addressesOfHost(errand, url))) {
      const where = addressRefusal(address, errand.allow !== undefined);
      if (where !== undefined) return fail(fault('refused', `GET ${shownUrl(url)}: ${where}`));
    }
    return ok(await fetch(url, { headers, redirect: 'manual', signal }));
  } catch (error) {
    return fail(httpFault(url, error, signal));
  }
};

const addressesOfHost = async (errand: Errand, url: URL): Promise<readonly string[]> => {
  const name = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(name) > 0 ? [name] : errand.addressesOf(name);
};

const allAddressesOf = async (name: string): Promise<readonly string[]> =>
  (await lookup(name, { all: true })).map(({ address }) => address);

/** A lookup cannot be called off, but it need not be waited for. */
const unlessAborted = async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
};

const redirectOf = (response: Response, from: URL): URL | undefined => {
  const location = response.headers.get('location');
  if (location === null || ![301, 302, 303, 307, 308].includes(response.status)) return undefined;
  return URL.parse(location, from.href) ?? undefined;
};

/** What may follow to another origin: any other header could be a credential, whatever its name. */
const harmlessOf = (headers: Headers): Headers => {
  const harmless = new Headers();
  for (const name of ['accept', 'accept-language', 'user-agent']) {
    const value = headers.get(name);
    if (value !== null) harmless.set(name, value);
  }
  return harmless;
};

const answeredBy = async (
  { bytesMax, signal }: Errand,
  url: URL,
  response: Response,
): Promise<Result<HttpResponse>> => {
  try {
    const body = await bodyOf(response, bytesMax);
    if (body === undefined) {
      return fail(fault('overflow', `GET ${shownUrl(url)}: the answer has more than ${bytesMax} bytes`));
    }
    return ok({ status: response.status, headers: Object.fromEntries(response.headers), body });
  } catch (error) {
    return fail(httpFault(url, error, signal));
  }
};

/** Counted as it comes, after decompression, and left at the first byte too many; undefined then. */
const bodyOf = async (response: Response, bytesMax: number): Promise<Uint8Array | undefined> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return joinBytes(chunks);
};
