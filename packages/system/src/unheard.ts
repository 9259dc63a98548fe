import { STATUS_CODES } from 'node:http';
import { systemRandom } from './system-random.ts';

/** What is said of a request that never became one: no function of requests is asked about it. */
export interface Unheard {
  readonly status: 400 | 405 | 408 | 417 | 431 | 500;
  readonly code: string;
  readonly title: string;
}

const codes: Readonly<Record<string, Unheard>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'headers_too_large',
    title: 'The line and the headers of a request are too long',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'too_slow', title: 'The request did not come in time' },
};

/** Of bytes that the platform could not read as HTTP, by its own code of what was wrong. */
export const unreadOf = (code: string | undefined): Unheard =>
  codes[code ?? ''] ?? {
    status: 400,
    code: 'bad_request',
    title: 'This cannot be read as a request of HTTP',
  };

/** In the one shape that every error of the API has (RFC 9457). */
export const unheardResponse = ({ status, code, title }: Unheard): Response =>
  Response.json(
    {
      type: `urn:foldmesh:problem:${code}`,
      title,
      status,
      code,
      retryable: status === 408,
      trace_id: systemRandom.hex(16),
      errors: [],
    },
    { status, headers },
  );

const headers = {
  'content-type': 'application/problem+json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  connection: 'close',
};

/** The same as it goes over a socket to which no request belongs. */
export const unheardText = async (unheard: Unheard): Promise<string> => {
  const response = unheardResponse(unheard);
  const body = await response.text();
  const lines = [...response.headers, ['content-length', String(Buffer.byteLength(body))]].map((pair) =>
    pair.join(': '),
  );
  return [`HTTP/1.1 ${unheard.status} ${STATUS_CODES[unheard.status]}`, ...lines, '', body].join('\r\n');
};
