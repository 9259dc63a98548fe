import type { Instant, Result } from '@foldmesh/envelope';
import type { Model, ModelReply } from '@foldmesh/ports';
import {
  type Call,
  chain,
  type Host,
  isTriedLater,
  logCall,
  type Ran,
  retry,
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

/** Kept back of a job's time, beside what an aborted try gets to end in, so that it hears why there is no reply. Milliseconds. */
const lastWordsMs = 500;

/** Outermost first log, trace, retry, one timeout per try, the model. A try that timed out is a try. */
export const modelChain = (host: Host, model: Model): AskModel => {
  const { clock, random, log } = host.ports;
  const name = ({ request }: Asked): string => `chat ${request.model}`;
  const ask = chain<Asked, ModelReply>(
    [
      logCall(log, clock, name),
      traceCall(name, ({ request }) => ({
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': request.model,
      })),
      retry(clock, random),
      timeout(
        clock,
        () => tryMs,
        () => true,
        host.settings.abortGraceMs,
      ),
    ],
    async ({ request, key }, call) => {
      const teller = tokenTeller(host.ports, key, call.signal);
      const reply = await model.reply(request, call.signal, teller.hear);
      teller.end();
      return reply;
    },
  );
  return async (asked, call) => {
    const deadline = Math.min(
      call.deadline,
      heardBy(asked.until, clock.now(), host.settings.abortGraceMs + lastWordsMs),
    );
    const within = { ...call, deadline };
    const replied = await ask(asked, within);
    if (replied.ok) return replied;
    const { fault } = replied;
    // Its last failure is remembered: every copy of the question would ask once more.
    const made = isTriedLater(fault, within, clock.now()) ? 'try' : 'last_try';
    return { ok: false, ran: { kind: 'failed', fault, made } };
  };
};

/** When a reply is of no use any more to a job that has until then; of little time no more than a tenth is kept back. */
const heardBy = (until: Instant | undefined, now: Instant, keptMs: number): Instant =>
  until === undefined
    ? Number.POSITIVE_INFINITY
    : until - Math.min(keptMs, Math.ceil(Math.max(0, until - now) / 10));
