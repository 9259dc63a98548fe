import {
  catalogueRoot,
  cut,
  type Digest,
  type Fault,
  Fault as FaultShape,
  fail,
  fault,
  firstIssue,
  type Json,
  type JsonObject,
  limits,
  ok,
  type PoolName,
  type Result,
  settleDraft,
  sha256Hex,
} from '@foldmesh/envelope';
import { expiredSource } from '@foldmesh/job';
import type { Ports } from '@foldmesh/ports';
import {
  answers,
  type Call,
  callerStanding,
  chain,
  currentOffers,
  type Host,
  type HostSettings,
  isTriedLater,
  logCall,
  offering,
  oneCall,
  type Part,
  type Ran,
  refusedCall,
  retry,
  type Service,
  serve,
  timeout,
  traceCall,
  validate,
} from '@foldmesh/runtime';
import { outputKeysOf, Pause, type Tool } from '@foldmesh/sdk';
import { z } from 'zod';
import { checkArguments } from './check-arguments.ts';
import { withinJob } from './within-job.ts';

export interface GatewaySettings {
  readonly pool: PoolName;
  /** Tool calls carried out at once. */
  readonly slots: number;
  readonly tools: readonly { readonly definition: Tool; readonly digest?: Digest }[];
  readonly host?: HostSettings;
}

/** The only door to the outside world. */
export const gatewayService = (ports: Ports, settings: GatewaySettings): Service =>
  serve(`tool-gateway.${settings.pool}`, ports, [gatewayPart(settings)], settings.host);

/** A result above this travels by reference. */
const inlineBytesMax = 16 * 1024;

const gatewayPart =
  (settings: GatewaySettings): Part =>
  async (host) => {
    const tools = new Map(settings.tools.map(({ definition }) => [definition.name, definition]));
    const offered = await offering(host, 'tool-gateway', settings.pool, offersOf(settings));
    if (!offered.ok) return offered;
    const handler = toolChain(host);
    const within = withinJob(host.ports);
    const calls = oneCall<'tool.call'>({
      // A tool that this build lacks may be unsafe in the one that ran it before.
      unsafe: ({ payload }) => (tools.get(payload.tool)?.effect ?? 'unsafe') === 'unsafe',
      label: ({ payload }) => cut(`${payload.tool} ${JSON.stringify(payload.input)}`, labelBytesMax),
      inlineBytesMax,
      run: async (envelope, claimed) => {
        const { payload } = envelope;
        const call = await within(envelope, claimed);
        if (host.ports.clock.now() >= call.deadline) return ranOf(fail(tooLate(call)));
        const tool = tools.get(payload.tool);
        if (tool === undefined) return ranOf(await noTool(host, payload.tool, tools));
        const ran = ranOf(await handler({ tool, input: payload.input }, call));
        if (ran.kind !== 'failed') return ran;
        return { ...ran, made: isTriedLater(ran.fault, call, host.ports.clock.now()) ? 'try' : 'given_up' };
      },
      settle: settleOf,
      standing: callerStanding,
    });
    return answers({
      queue: { service: 'tool-gateway', pool: settings.pool, lane: 'call' },
      slots: settings.slots,
      by: [{ type: 'tool.call', work: calls, refusal: refusedCall(host, 'tool.call', settleOf) }],
    })(host);
  };

/** Nothing begins here any more; where it was asked before, something may have. */
const tooLate = ({ again }: Call): Fault =>
  fault(again ? 'unanswered' : 'unavailable', "its job's time is over", { source: expiredSource });

/** How long a call waits for a gateway that has its tool, before it comes round again. Milliseconds. */
const elsewhereMs = 3_000;

/** Another gateway of the pool may have it, as during a rollout; a name that nobody offers is a mistake. */
const noTool = async (
  { ports }: Host,
  name: string,
  tools: ReadonlyMap<string, Tool>,
): Promise<Result<Answer>> => {
  const listed = await ports.index.list(`${catalogueRoot}tool-gateway.`);
  if (!listed.ok) return listed;
  const offered = currentOffers(listed.value.flatMap(({ value }) => Offered.safeParse(value).data ?? []));
  if (offered.some(({ offers }) => offers.some((offer) => offer.name === name)))
    return fail(
      fault('unavailable', `this gateway has no tool ${name}; another one offers it`, {
        retry_after_ms: elsewhereMs,
      }),
    );
  return fail(fault('invalid', `there is no tool ${name}; there are ${[...tools.keys()].join(', ')}`));
};

/** As much of an offer as tells whose a name is. */
const Offered = z.object({
  service: z.string(),
  pool: z.string(),
  at: z.number().optional(),
  offers: z.array(z.object({ name: z.string() })),
});

const ranOf = (given: Result<Answer>): Ran => {
  if (!given.ok) return { kind: 'failed', fault: given.fault };
  if (!(given.value instanceof Pause)) return { kind: 'done', output: given.value };
  const { question, schema } = given.value;
  return { kind: 'paused', question, ...(schema !== undefined && { schema }) };
};

const settleOf = settleDraft('tool.settle');

const labelBytesMax = 200;

/** What a tool gives back: its output, or that it waits for a person. */
type Answer = Json | Pause;

interface Request {
  readonly tool: Tool;
  readonly input: Json;
}

/**
 * Outermost first: log, trace, check the arguments, retry, one timeout per try, the tool. An unsafe effect has one try,
 * and says so to the inbox before it leaves.
 */
const toolChain = ({ ports, settings }: Host) => {
  const { clock, random, log } = ports;
  const name = ({ tool }: Request): string => `execute_tool ${tool.name}`;
  return chain<Request, Answer>(
    [
      logCall(log, clock, name),
      traceCall(name, ({ tool }) => ({
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool.name,
      })),
      validate((request) => checkedRequest(request)),
      retry(clock, random),
      timeout(
        clock,
        ({ tool }) => tool.timeoutMs,
        ({ tool }) => tool.effect !== 'unsafe',
        settings.abortGraceMs,
      ),
    ],
    (request, call) => runTool(request, call),
  );
};

const checkedRequest = (request: Request): Result<Request> => {
  const checked = checkArguments(request.tool, request.input);
  return checked.ok ? ok(request) : checked;
};

const runTool = async ({ tool, input }: Request, call: Call): Promise<Result<Answer>> => {
  if (tool.effect === 'unsafe') {
    const started = await call.start();
    if (!started.ok) return fail({ ...started.fault, kind: 'unavailable' });
    if (started.value !== 'held')
      return fail(fault('refused', 'the claim was lost or the job was cancelled before the effect left'));
  }
  const { tenant, job, key, signal, deadline } = call;
  try {
    const result = await tool.run(tool.input.parse(input) as never, { tenant, job, key, signal, deadline }); // its own schema has just made the type it wants
    if (!result.ok) return fail(onceOnly(tool, readable(tool, result.fault)));
    return result.value instanceof Pause ? ok(result.value) : checkedOutput(tool, result.value);
  } catch (error) {
    // An unsafe effect may have left before its code broke.
    return fail(
      fault(tool.effect === 'unsafe' ? 'unanswered' : 'invalid', `${tool.name} threw: ${String(error)}`, {
        source: 'tool',
      }),
    );
  }
};

/** What a tool says of its failure is read by all who asked: one that nobody could read would leave them waiting. */
const readable = (tool: Tool, said: Fault): Fault => {
  const { retry_after_ms: again, ...rest } = { ...said };
  // A wait of no number is none: then it is not tried again.
  const waitMs = typeof again === 'number' && again >= 0 ? Math.ceil(again) : Number.NaN;
  const parsed = FaultShape.safeParse({
    ...rest,
    ...(Number.isSafeInteger(waitMs) && { retry_after_ms: waitMs }),
  });
  if (parsed.success) return { ...parsed.data, detail: cut(parsed.data.detail, limits.faultDetailBytesMax) };
  return fault(
    tool.effect === 'unsafe' ? 'unanswered' : 'invalid',
    `${tool.name} failed, and said so in no shape that can be read: ${firstIssue(parsed.error)}`,
    { source: 'tool' },
  );
};

/** What may have happened and must not happen twice is not tried again, whatever the tool says of later. */
const onceOnly = (tool: Tool, failure: Fault): Fault => {
  const { retry_after_ms: _, ...once } = failure;
  return tool.effect === 'unsafe' && failure.kind === 'unanswered' ? once : failure;
};

/** An unsafe tool whose answer cannot be used has run all the same: its outcome is unknown, not a failure. */
const checkedOutput = (tool: Tool, value: unknown): Result<Json> => {
  const output = JSON.parse(JSON.stringify(value ?? null)) as Json; // JSON.parse yields nothing else
  const checked = tool.output?.safeParse(output);
  if (checked?.success === false)
    return fail(
      fault(
        tool.effect === 'unsafe' ? 'unanswered' : 'invalid',
        `${tool.name} gave an answer that is not what it declares: ${checked.error.message}`,
      ),
    );
  return ok(output);
};

const offersOf = ({ pool, slots, tools }: GatewaySettings): JsonObject => ({
  service: 'tool-gateway',
  pool,
  slots,
  offers: tools.map(({ definition, digest }) => {
    const keys = outputKeysOf(definition.output);
    return {
      kind: 'tool',
      name: definition.name,
      digest: digest ?? sha256Hex(definition.name),
      effect: definition.effect,
      description: definition.description,
      terminal: definition.terminal,
      input_schema: z.toJSONSchema(definition.input, { io: 'input', unrepresentable: 'any' }) as Json, // a JSON Schema is JSON
      ...(keys !== undefined && { output_keys: [...keys] }),
    };
  }),
});
