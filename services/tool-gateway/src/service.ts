import {
  type Address,
  catalogueSubject,
  type Digest,
  type Envelope,
  type Fault,
  fail,
  fault,
  type Json,
  type JsonObject,
  ok,
  PoolName,
  type Result,
  sha256Hex,
} from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import {
  answers,
  type Call,
  callerStanding,
  chain,
  type Host,
  type HostSettings,
  logCall,
  oneCall,
  type Part,
  type Ran,
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
    const offered = await host.ports.index.put(
      catalogueSubject('tool-gateway', settings.pool),
      offersOf(settings),
    );
    if (!offered.ok) return offered;
    const handler = toolChain(host);
    const calls = oneCall<'tool.call'>({
      unsafe: ({ payload }) => tools.get(payload.tool)?.effect === 'unsafe',
      label: ({ payload }) => `${payload.tool} ${JSON.stringify(payload.input)}`.slice(0, labelLengthMax),
      inlineBytesMax,
      run: async ({ payload }, call) => {
        const tool = tools.get(payload.tool);
        const given =
          tool === undefined
            ? noTool(payload.tool, tools)
            : await handler({ tool, input: payload.input }, call);
        return ranOf(given);
      },
      settle: (envelope, outcome) => ({
        type: 'tool.settle',
        to: callerOf(envelope),
        key: envelope.idempotency_key,
        attempt: envelope.attempt,
        payload: { outcome },
      }),
      standing: callerStanding,
    });
    return answers({
      queue: { service: 'tool-gateway', pool: settings.pool, lane: 'call' },
      slots: settings.slots,
      by: [{ type: 'tool.call', work: calls }],
    })(host);
  };

const noTool = (name: string, tools: ReadonlyMap<string, Tool>): Result<Answer> =>
  fail(fault('invalid', `there is no tool ${name}; there are ${[...tools.keys()].join(', ')}`));

const ranOf = (given: Result<Answer>): Ran => {
  if (!given.ok) return { kind: 'failed', fault: given.fault };
  if (!(given.value instanceof Pause)) return { kind: 'done', output: given.value };
  const { question, schema } = given.value;
  return { kind: 'paused', question, ...(schema !== undefined && { schema }) };
};

/** An agent's run lives in the pool that sent the call. A skill waits on a subject of its own. */
const callerOf = ({ sender }: Envelope<'tool.call'>): Address => ({
  service: 'worker',
  pool: PoolName.parse(sender.split('.')[1] ?? 'default'),
});

const labelLengthMax = 200;

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
    if (!result.ok) return fail(onceOnly(tool, result.fault));
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
