import type { Instant, Result } from '@foldmesh/envelope';
import type { Model, ModelReply } from '@foldmesh/ports';
import {
  type Call,
  chain,
  type Host,
  logCall,
  type Ran,
  retry,
  retrySettings,
  timeout,
  traceCall,
} from '@foldmesh/runtime';
import type { Asked } from './model-request.ts';
import { tokenTeller } from './tell-tokens.ts';

/** Asks a model for one reply; without one it says how its call has ended. */
export type AskModel = (
  asked: Asked,
  call: Call,
) => Promise<Extract<Result<ModelReply>, { ok: true }> | { readonly ok: false; readonly ran: Ran }>;

/** How long one try at a model may take, milliseconds. */
const tryMs = 5 * 60_000;

/**
 * Requests of one claim; one fewer in each that follows because the model wants more time than is sat out in a claim. So one
 * call is three requests, and 3 + 2 + 1 where the model says so every time: nothing else asks it again.
 */
const triesMax = retrySettings.triesMax;

/** Kept back of a job's time, beside what an aborted try gets to end in, so that it hears why there is no reply. Milliseconds. */
const lastWordsMs = 500;

/** Outermost first log, trace, retry, one timeout per try, the model. A try that timed out is a try. */
export const modelChain = (host: Host, model: Model): AskModel => {
  const { clock, random, log } = host.ports;
  const name = ({ request }: Asked): string => `chat ${request.model}`;
  const tried = (tries: number) =>
    chain<Asked, ModelReply>(
      [
        logCall(log, clock, name),
        traceCall(name, ({ request }) => ({
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': request.model,
        })),
        retry(clock, random, { ...retrySettings, triesMax: tries }),
        timeout(
          clock,
          () => tryMs,
          () => true,
          host.settings.abortGraceMs,
        ),
      ],
      async ({ request, key }, call) => {
        const teller = tokenTeller(host.ports, key);
        const reply = await model.reply(request, call.signal, teller.hear);
        teller.end();
        return reply;
      },
    );
  return async (asked, call) => {
    const left = Math.max(1, triesMax - call.tries);
    const deadline = Math.min(
      call.deadline,
      heardBy(asked.until, clock.now(), host.settings.abortGraceMs + lastWordsMs),
    );
    const replied = await tried(left)(asked, { ...call, deadline });
    if (replied.ok) return replied;
    const { fault } = replied;
    const wait = fault.retry_after_ms ?? 0;
    const goesBack = left > 1 && wait > retrySettings.waitMsMax && clock.now() + wait < deadline;
    return { ok: false, ran: { kind: 'failed', fault, made: goesBack ? 'try' : 'last_try' } };
  };
};

/** When a reply is of no use any more to a job that has until then; of little time no more than a tenth is kept back. */
const heardBy = (until: Instant | undefined, now: Instant, keptMs: number): Instant =>
  until === undefined
    ? Number.POSITIVE_INFINITY
    : until - Math.min(keptMs, Math.ceil(Math.max(0, until - now) / 10));
