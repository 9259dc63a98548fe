import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemRandom } from '@foldmesh/system';
import { findBinary } from './server-binary.ts';
import { type Ports, type ServerProcess, serverProcess } from './server-process.ts';
import { tcpExchange } from './tcp-exchange.ts';

/** What a NATS server of a test may be told; all of it has a default. */
export interface NatsSettings {
  readonly port?: number;
  /** A folder of the caller's for JetStream, which is not removed; else one that goes with the server. */
  readonly storeDir?: string;
  /** Every stored message is on disk before it is acknowledged, as it has to be to survive a power cut. */
  readonly syncAlways?: boolean;
  readonly payloadBytesMax?: number;
  /** Further lines of its configuration file. */
  readonly config?: readonly string[];
  /** The program; `findBinary` finds it where it is absent. */
  readonly binary?: string;
}

/** A NATS server with JetStream. */
export interface NatsServer extends ServerProcess {
  /** Its monitoring port, as `http://127.0.0.1:<port>`. */
  readonly monitorUrl: string;
}

/** Starts a NATS server with JetStream on 127.0.0.1, and waits until both answer. */
export const natsServer = async (settings: NatsSettings = {}): Promise<NatsServer> => {
  const binary = settings.binary ?? (await findBinary('nats')).path;
  // By this name we know that it is ours that answers, and not one that was faster to take the port.
  const name = `testbed-${systemRandom.hex(8)}`;
  const server = await serverProcess({
    name: 'nats-server',
    scheme: 'nats',
    port: settings.port,
    command: async (ports, folder) => {
      const path = join(folder, 'nats.conf');
      await writeFile(path, configOf(name, ports, folder, settings));
      return [binary, '--config', path];
    },
    answer: (ports) => answerOf(ports, name),
  });
  return Object.assign(server, { monitorUrl: `http://127.0.0.1:${server.monitorPort}` });
};

const configOf = (
  name: string,
  { port, monitorPort }: Ports,
  folder: string,
  settings: NatsSettings,
): string => {
  const { storeDir = join(folder, 'jetstream'), syncAlways = false, payloadBytesMax, config = [] } = settings;
  return [
    `server_name: ${JSON.stringify(name)}`,
    `listen: "127.0.0.1:${port}"`,
    `http: "127.0.0.1:${monitorPort}"`,
    'jetstream {',
    `  store_dir: ${JSON.stringify(storeDir)}`,
    ...(syncAlways ? ['  sync_interval: always'] : []),
    '}',
    ...(payloadBytesMax === undefined ? [] : [`max_payload: ${payloadBytesMax}`]),
    ...config,
    '',
  ].join('\n');
};

/** A server greets at once; whether JetStream is up is asked where no account and no password is needed. */
const answerOf = async ({ port, monitorPort }: Ports, name: string): Promise<string> => {
  const withinMs = 2_000;
  const greeting = /^INFO (?=.*"server_name":"([^"]*)")(?=.*"version":"([^"]*)").*\r\n/;
  const [, answering, version = ''] = await tcpExchange({ port, words: '', until: greeting, withinMs });
  if (answering !== name) throw new Error(`port ${port} is served by ${answering}`);
  const words = 'GET /healthz?js-enabled-only=true HTTP/1.0\r\n\r\n';
  await tcpExchange({ port: monitorPort, words, until: /^HTTP\/1\.\d 200 /, withinMs });
  return version;
};
