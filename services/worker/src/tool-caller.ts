import {
  type Address,
  type Body,
  type Carried,
  type Draft,
  decodeJson,
  EnvelopeBody,
  fault,
  fingerprint,
  isJsonObject,
  type Json,
  type Key,
  limits,
  type Outcome,
  Outcome as OutcomeSchema,
  PoolName,
  positionOf,
  type Result,
  replySubject,
  type Type,
} from '@foldmesh/envelope';
import {
  believed,
  type Call,
  type Host,
  runtimeLimits,
  send,
  traceparentOf,
  type Values,
} from '@foldmesh/runtime';
import { laterFault } from './later-fault.ts';

/** What a skill can ask another service, each type with the one of its answer. */
export const askedTypes = {
  'tool.call': 'tool.settle',
  'memory.write': 'memory.settle',
  'memory.query': 'memory.settle',
} as const satisfies Partial<Record<Type, Type>>;
type AskedType = keyof typeof askedTypes;

/** One numbered call of a skill. */
export type Asked = {
  readonly [T in AskedType]: { readonly type: T; readonly payload: Body<T> };
}[AskedType];

/** How a call ended, its output in hand. */
export type ToolAnswer =
  | { readonly kind: 'done'; readonly output: Json }
  | Exclude<Outcome, { kind: 'done' }>;

export interface ToolCaller extends AsyncDisposable {
  /** Sends one call under its key and waits for the answer; the same key always gets the same answer. */
  call(key: Key, asked: Asked, by: Call): Promise<ToolAnswer>;
}

/** Memory's pool is always this one. */
const memory: Address = { service: 'memory', pool: PoolName.parse('default') };

/**
 * Answers come straight to this process on a subject of its own, and may be lost: then the call is sent again under the
 * next epoch and answers from its stored result. Each strike counts as an epoch passed, and so does having run before
 * at all: then a re-run is not taken for the send of the process that died, nor by who answers for the first.
 */
export const toolCaller = (host: Host, values: Values, gatewayOf: (tool: string) => PoolName): ToolCaller => {
  const replyTo = replySubject(host.ports.random.hex(16));
  // A run that was given up may still be ending while the next one asks for the same.
  const waiting = new Map<string, Set<(outcome: Outcome) => void>>();
  const listening = host.ports.bus.listen(replyTo, (body) => {
    host.nursery.go(async () => {
      const answer = await readAnswer(values, body);
      if (answer === undefined) return;
      for (const hear of waiting.get(answer.name) ?? []) hear(answer.outcome);
    });
  });
  const listen = (name: string, hear: (outcome: Outcome) => void): (() => void) => {
    const all = waiting.get(name) ?? new Set();
    waiting.set(name, all.add(hear));
    return () => {
      all.delete(hear);
      if (all.size === 0 && waiting.get(name) === all) waiting.delete(name);
    };
  };
  const resolved = async (key: Key, outcome: Outcome, signal: AbortSignal): Promise<ToolAnswer> => {
    if (outcome.kind !== 'done') return outcome;
    const output = await outputOf(host, values, key, outcome.output, signal);
    return output.ok
      ? { kind: 'done', output: output.value }
      : { kind: 'failed', fault: laterFault(output.fault) };
  };
  return {
    async call(key, asked, by) {
      const answered = Promise.withResolvers<Outcome>();
      const forget = listen(answerName(askedTypes[asked.type], key), answered.resolve);
      const draft: Draft = {
        ...asked,
        to:
          asked.type === 'tool.call'
            ? { service: 'tool-gateway', pool: gatewayOf(asked.payload.tool) }
            : memory,
        key,
        attempt: by.attempt,
        deadline: Math.min(by.deadline, host.ports.clock.now() + limits.requestMs),
        reply_to: replyTo,
      };
      const ended = new AbortController();
      const sending = sendUntil(host, draft, by, ended.signal);
      const stop = AbortSignal.any([ended.signal, by.signal]);
      const looking = lookUntil(host, key, asked, answered.resolve, stop);
      try {
        return await resolved(key, await Promise.race([answered.promise, sending]), by.signal);
      } finally {
        forget();
        ended.abort('over');
        await Promise.all([sending, looking]);
      }
    },
    async [Symbol.asyncDispose]() {
      await listening[Symbol.asyncDispose]();
    },
  };
};

/** Told of it just now, nobody here knows how old it is: that it is gone is believed once it has been said for long enough. */
const outputOf = async (
  { ports: { clock } }: Host,
  values: Values,
  key: Key,
  carried: Carried,
  signal: AbortSignal,
): Promise<Result<Json>> => {
  const { tenant, job } = positionOf(key);
  const toldAt = clock.now();
  for (;;) {
    const output = await values.load(tenant, job, carried);
    const isLate = !output.ok && believed(output.fault, toldAt, clock.now()) !== output.fault;
    if (!isLate || signal.aborted) return output;
    await clock.sleep(runtimeLimits.lateAgainMs, signal);
  }
};

const againMs = 250;

/** Sends in every epoch until told to end; resolves only when there is nothing more to wait for. */
const sendUntil = async (host: Host, draft: Draft, by: Call, ended: AbortSignal): Promise<Outcome> => {
  const { clock } = host.ports;
  const stop = AbortSignal.any([ended, by.signal]);
  const before = Math.max(by.strikes, by.again ? 1 : 0);
  let sentIn = -1;
  while (!stop.aborted && clock.now() < by.deadline) {
    const epoch = before + Math.floor(Math.max(0, clock.now() - by.since) / limits.epochMs);
    if (epoch > sentIn) {
      const sent = await send(host.ports, draft, {
        sender: host.party,
        at: clock.now(),
        since: by.since,
        epoch,
        trace_id: by.trace_id,
        traceparent: traceparentOf(by.span, by.trace_id, undefined),
      });
      if (!sent.ok && sent.fault.kind !== 'unanswered' && sent.fault.retry_after_ms === undefined)
        return { kind: 'failed', fault: sent.fault };
      if (sent.ok || sent.fault.kind === 'unanswered') sentIn = epoch;
    }
    const untilNext = limits.epochMs - (Math.max(0, clock.now() - by.since) % limits.epochMs);
    await clock.sleep(sentIn === epoch ? Math.min(untilNext, by.deadline - clock.now()) : againMs, stop);
  }
  return {
    kind: 'failed',
    fault: fault(
      'unanswered',
      by.signal.aborted ? 'the caller was stopped' : 'no answer before the deadline',
      { source: draft.type },
    ),
  };
};

/**
 * Looks once in a heartbeat for what is stored, so that an answer that got lost is not waited for until the next epoch. So
 * it is after a link was cut; and for a re-run whose copy met its original in the stream: that one answers whoever sent it,
 * who is gone.
 */
const lookUntil = async (
  { ports: { clock, inbox }, settings: { ackWaitMs } }: Host,
  key: Key,
  { type, payload }: Asked,
  hear: (outcome: Outcome) => void,
  stop: AbortSignal,
): Promise<void> => {
  const print = fingerprint(type, payload);
  for (;;) {
    await clock.sleep(Math.floor(ackWaitMs / 3), stop);
    if (stop.aborted) return;
    const known = await inbox.peek({ type, key });
    if (!known.ok || known.value?.print !== print) continue;
    const outcome = known.value.stored?.outcome;
    // One that was cancelled is asked for anew, as it is where nobody waits yet.
    if (outcome !== undefined && outcome.kind !== 'cancelled') return hear(outcome);
  }
};

/** By type and key: what a position was asked before by other code answers nobody who asks it now. */
const answerName = (type: Type, key: Key): string => `${type} ${key}`;

const readAnswer = async (
  values: Values,
  bytes: Uint8Array,
): Promise<{ readonly name: string; readonly outcome: Outcome } | undefined> => {
  const json = decodeJson(bytes);
  const body = json.ok ? EnvelopeBody.safeParse(json.value).data : undefined;
  if (body === undefined || !isAnswer(body.type)) return undefined;
  const { tenant, job } = positionOf(body.idempotency_key);
  const carried: Carried =
    body.payload_ref === undefined ? { value: body.payload ?? null } : { ref: body.payload_ref };
  const payload = await values.load(tenant, job, carried);
  const outcome =
    payload.ok && isJsonObject(payload.value)
      ? OutcomeSchema.safeParse(payload.value['outcome']).data
      : undefined;
  return outcome === undefined ? undefined : { name: answerName(body.type, body.idempotency_key), outcome };
};

const isAnswer = (type: Type): boolean => Object.values<Type>(askedTypes).includes(type);
