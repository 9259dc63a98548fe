import {
  type JetStreamPorts,
  type JetStreamTimings,
  openJetStream,
  type TopologySettings,
} from '@foldmesh/jetstream';
import { type Connection, defaultTimings, openConnection } from '@foldmesh/jetstream/internal';
import type { Level } from '@foldmesh/ports';
import { systemClock, systemRandom } from '@foldmesh/system';
import { type NatsServer, type NatsSettings, natsServer, type TcpProxy, tcpProxy } from '@foldmesh/testbed';
import { natsTimings, type OnNats } from './nats-rig.ts';
import { type Bench, got, insist } from './rig.ts';
import { samples } from './samples.ts';

/** A server of a test's own, the ports on the other side of a network, and a way around both. */
export interface NatsScene extends AsyncDisposable {
  readonly server: NatsServer;
  readonly proxy: TcpProxy;
  readonly ports: JetStreamPorts;
  /** Straight to the server: whatever an operator, or somebody else's program, may do. */
  readonly raw: Connection;
  readonly bench: Bench<OnNats>;
  /** What was logged, each line as text. */
  readonly logged: readonly string[];
  /** Further ports with a connection of their own, on the same network or on another. */
  open(url?: string): Promise<JetStreamPorts>;
}

export interface SceneSettings {
  readonly server?: NatsSettings;
  readonly topology?: Partial<TopologySettings>;
  readonly timings?: Partial<JetStreamTimings>;
  /** Without the streams. */
  readonly bare?: boolean;
}

/** Less patient than production, for tests of what happens when patience ends. */
export const hastyTimings: JetStreamTimings = {
  requestMs: 1_500,
  pingMs: 1_000,
  reconnectMs: 50,
  pullMs: 5_000,
  heartbeatMs: 500,
};

/** Within this a call of hasty ports has been answered or given up, on a busy machine too; who waits twice takes longer. */
export const hastyCallMsMax = 2 * hastyTimings.requestMs - 100;

export const natsScene = async (settings: SceneSettings = {}): Promise<NatsScene> => {
  const { topology = {}, timings = defaultTimings, bare = false } = settings;
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await natsServer(settings.server));
  const proxy = opened.use(await tcpProxy(server));
  const logged: string[] = [];
  const log = (level: Level, text: string, fields?: object): void => {
    logged.push(`${level} ${text} ${JSON.stringify(fields ?? {})}`);
  };
  const known = {
    name: 'scene',
    clock: systemClock,
    log,
    topology: { ...natsTimings, ...topology },
    timings,
  };
  const patience = () => AbortSignal.timeout(30_000);
  const openOn = async (url: string): Promise<JetStreamPorts> =>
    got(await openJetStream({ ...known, url }, patience()));
  const ports = opened.use(await openOn(proxy.url('nats')));
  const raw = opened.use(got(await openConnection({ ...known, url: server.url }, patience())));
  const bench = {
    ...natsTimings,
    ports: { ...ports, clock: systemClock },
    make: samples(systemRandom.hex(4)),
    advance: (ms: number) => systemClock.sleep(ms),
  };
  if (!bare) await insist(bench, () => ports.topology());
  const all = opened.move();
  return {
    server,
    proxy,
    ports,
    raw,
    logged,
    bench,
    open: async (url = proxy.url('nats')) => all.use(await openOn(url)),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
};

/** How long a call took, in milliseconds, beside what it gave. */
export const timed = async <T>(
  call: () => PromiseLike<T>,
): Promise<{ readonly value: T; readonly ms: number }> => {
  const at = systemClock.monotonic();
  const value = await call();
  return { value, ms: systemClock.monotonic() - at };
};
