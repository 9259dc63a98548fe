import { type Fault, fail, fault, ok } from '@foldmesh/envelope';
import type { Http, HttpResponse } from '@foldmesh/ports';
import { defineTool, type Tool, z } from '@foldmesh/sdk';
import { hostRefusal } from '@foldmesh/system';
import { retryAfterMs } from './retry-after.ts';
import { bytesOf, textHead, textLimits } from './text-head.ts';

export interface HttpToolSettings {
  readonly http: Http;
  /** Hosts that may be asked (`example.com`, `*.example.com`); when absent all of the internet, and nothing nearer. */
  readonly allow?: readonly string[] | undefined;
}

/** A longer answer is an overflow and not read to its end. */
const bodyBytesMax = 1024 * 1024;

/** How a message is carried is not for the caller to say. */
const carriers =
  /^(host|connection|content-length|transfer-encoding|upgrade|expect|te|trailer|keep-alive|proxy-.*)$/i;

const Headers = z
  .record(
    z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
    z
      .string()
      .max(4096)
      .regex(/^[^\0\r\n]*$/),
  )
  .refine((headers) => Object.keys(headers).length <= 32, 'at most 32 headers')
  .refine(
    (headers) => !Object.keys(headers).some((name) => carriers.test(name)),
    'headers of the connection cannot be set',
  );

const Input = z.strictObject({
  url: z.string().min(1).max(8192),
  headers: Headers.optional(),
  bytes_max: z.int().min(1).max(textLimits.bytesMax).optional(),
});

const Output = z.strictObject({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  text: z.string(),
  truncated: z.boolean(),
  notice: z.string().optional(),
});

/** One GET. An answer that is a failure becomes a fault, so that whoever retries knows whether and when. */
export const httpTool = ({ http, allow }: HttpToolSettings): Tool =>
  defineTool({
    name: 'http.get',
    description:
      'Fetches an http or https address and gives status, some headers and the text. At most `bytes_max` bytes of text ' +
      `come (${textLimits.bytesDefault} unless given, ${textLimits.bytesMax} at most), \`truncated\` says whether there are more.`,
    effect: 'read',
    input: Input,
    output: Output,
    run: async ({ url: address, headers = {}, bytes_max = textLimits.bytesDefault }, { signal }) => {
      const url = URL.parse(address);
      if (url === null) return fail(fault('invalid', 'url: it must be an absolute http or https address'));
      const problem = hostRefusal(url, allow);
      if (problem !== undefined) return fail(fault('refused', `GET ${shown(url)}: ${problem}`));
      const answer = await http.get({ url: url.href, headers, bytesMax: bodyBytesMax }, signal);
      if (!answer.ok) return answer;
      const failure = faultOf(url, answer.value);
      if (failure !== undefined) return fail(failure);
      const { status, body } = answer.value;
      const text = textHead(`the answer of ${shown(url)}`, body, bytes_max);
      if (!text.ok) return text;
      const told = { status, headers: toldOf(answer.value), text: text.value };
      if (body.length <= bytes_max) return ok({ ...told, truncated: false });
      const notice = `these are the first ${bytesOf(text.value)} of ${body.length} bytes; give a larger bytes_max for more`;
      return ok({ ...told, truncated: true, notice });
    },
  });

/** Where an address led, without what may be secret in it. */
const shown = (url: URL): string => `${url.origin}${url.pathname}`;

const faultOf = (url: URL, { status, headers }: HttpResponse): Fault | undefined => {
  if (status < 400) return undefined;
  const detail = `GET ${shown(url)}: ${status}`;
  if (status === 429) return fault('throttled', detail, { retry_after_ms: retryAfterMs(headers) });
  if (status >= 500 || passing.has(status)) {
    return fault('unavailable', detail, { retry_after_ms: retryAfterMs(headers) });
  }
  return fault(denied.has(status) ? 'refused' : 'invalid', detail);
};

/** Request timeout, too early: nothing is wrong with what was asked. */
const passing = new Set([408, 425]);
/** Unauthorised, payment, forbidden, proxy authentication, legal reasons: asking otherwise would not help. */
const denied = new Set([401, 402, 403, 407, 451]);

/** Cookies and tokens in other headers are nobody's business behind the gateway. */
const told = new Set([
  'cache-control',
  'content-language',
  'content-type',
  'date',
  'etag',
  'last-modified',
  'link',
  'location',
  'retry-after',
]);

const toldOf = ({ headers }: HttpResponse): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => told.has(name)));
