import { PoolName } from '@foldmesh/envelope';
import { type Answering, answers, callerStanding, oneCall, type Running, serve } from '@foldmesh/runtime';
import { loadConfig } from '@foldmesh/system';
import { openProduction } from '@foldmesh/worlds';
import { benchPool } from './hop-messages.ts';

/** A hop that can be started and stopped; `taken` is called with each message that is being handled. */
export interface Hop extends AsyncDisposable {
  start(taken: () => void): Promise<{ stop(): Promise<void> }>;
}

export interface HopServers {
  readonly nats: string;
  readonly redis: string;
  /** Messages in hand at once. */
  readonly slots: number;
}

/** The handler host of production on production's ports, with a handler that does nothing but answer. */
export const ourHop = async ({ nats, redis, slots }: HopServers): Promise<Hop> => {
  const loaded = await loadConfig({ environment: { NATS_URL: nats, REDIS_URL: redis }, folder: '/' });
  if ('problems' in loaded) throw new Error(loaded.problems.join('; '));
  const log = (level: string, text: string, more?: object): void => {
    if (level === 'warn' || level === 'error') process.stderr.write(`${text} ${JSON.stringify(more)}\n`);
  };
  const opened = await openProduction(
    { config: loaded.config, name: 'bench-hop', log },
    AbortSignal.timeout(20_000),
  );
  if (!opened.ok) throw new Error(opened.fault.detail);
  const { ports } = opened.value;
  return {
    start: async (taken) => {
      const service = serve(`tool-gateway.${benchPool}`, ports, [
        answers({
          queue: { service: 'tool-gateway', pool: benchPool, lane: 'call' },
          slots,
          by: [echo(taken)],
        }),
      ]);
      const started = await service.start();
      if (!started.ok) throw new Error(started.fault.detail);
      const running: Running = started.value;
      return { stop: () => running.stop(5_000) };
    },
    [Symbol.asyncDispose]: () => opened.value[Symbol.asyncDispose](),
  };
};

const echo = (taken: () => void): Answering =>
  ({
    type: 'tool.call',
    work: oneCall<'tool.call'>({
      unsafe: () => false,
      label: ({ payload }) => payload.tool,
      inlineBytesMax: 16 * 1024,
      run: async ({ payload }) => {
        taken();
        return { kind: 'done', output: payload.input };
      },
      settle: (envelope, outcome) => ({
        type: 'tool.settle',
        to: { service: 'worker', pool: PoolName.parse(benchPool) },
        key: envelope.idempotency_key,
        attempt: envelope.attempt,
        payload: { outcome },
      }),
      standing: callerStanding,
    }),
  }) as Answering; // it is given only envelopes of its own type
