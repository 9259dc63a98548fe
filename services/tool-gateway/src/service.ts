import {
  type Digest,
  fail,
  fault,
  type Json,
  type JsonObject,
  ok,
  type PoolName,
  type Result,
  sha256Hex,
} from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import {
  answers,
  type Call,
  chain,
  type Host,
  type HostSettings,
  jobStanding,
  logCall,
  oneCall,
  type Part,
  retry,
  type Service,
  serve,
  timeout,
  traceCall,
  validate,
} from '@foldmesh/runtime';
import { outputKeysOf, type Tool } from '@foldmesh/sdk';
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
      `mesh.v1.catalogue.tool-gateway.${settings.pool}`,
      offersOf(settings),
    );
    if (!offered.ok) return offered;
    const handler = toolChain(host);
    return answers({
      type: 'tool.call',
      queue: { service: 'tool-gateway', pool: settings.pool, lane: 'call' },
      slots: settings.slots,
      work: oneCall({
        unsafe: ({ payload }) => tools.get(payload.tool)?.effect === 'unsafe',
        label: ({ payload }) => `${payload.tool} ${JSON.stringify(payload.input)}`.slice(0, labelLengthMax),
        inlineBytesMax,
        run: async ({ payload }, call) => {
          const tool = tools.get(payload.tool);
          if (tool === undefined)
            return fail(
              fault('invalid', `there is no tool ${payload.tool}; there are ${[...tools.keys()].join(', ')}`),
            );
          return handler({ tool, input: payload.input }, call);
        },
        settle: (envelope, outcome) => ({
          type: 'tool.settle',
          to: { service: 'worker', pool: settings.pool },
          key: envelope.idempotency_key,
          attempt: envelope.attempt,
          payload: { outcome },
        }),
        standing: jobStanding,
      }),
    })(host);
  };

const labelLengthMax = 200;

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
  return chain<Request, Json>(
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

const runTool = async ({ tool, input }: Request, call: Call): Promise<Result<Json>> => {
  if (tool.effect === 'unsafe') {
    const started = await call.start();
    if (!started.ok) return fail({ ...started.fault, kind: 'unavailable' });
    if (started.value !== 'held')
      return fail(fault('refused', 'the claim was lost or the job was cancelled before the effect left'));
  }
  const { tenant, job, key, signal, deadline } = call;
  try {
    const result = await tool.run(tool.input.parse(input) as never, { tenant, job, key, signal, deadline }); // its own schema has just made the type it wants
    if (!result.ok) return result;
    return checkedOutput(tool, result.value);
  } catch (error) {
    // An unsafe effect may have left before its code broke.
    return fail(
      fault(tool.effect === 'unsafe' ? 'unanswered' : 'invalid', `${tool.name} threw: ${String(error)}`, {
        source: 'tool',
      }),
    );
  }
};

const checkedOutput = (tool: Tool, value: unknown): Result<Json> => {
  const output = JSON.parse(JSON.stringify(value ?? null)) as Json; // JSON.parse yields nothing else
  const checked = tool.output?.safeParse(output);
  if (checked?.success === false)
    return fail(
      fault('invalid', `${tool.name} gave an answer that is not what it declares: ${checked.error.message}`),
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
      input_schema: z.toJSONSchema(definition.input, { io: 'input', unrepresentable: 'any' }) as Json, // a JSON Schema is JSON
      ...(keys !== undefined && { output_keys: [...keys] }),
    };
  }),
});
