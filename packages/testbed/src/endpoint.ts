import { systemEnvironment } from '@foldmesh/system';
import { natsServer } from './nats-server.ts';
import { redisServer } from './redis-server.ts';

/** A server to talk to, which nobody is going to stop or freeze. */
export interface Endpoint extends AsyncDisposable {
  readonly url: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The running NATS that `FOLDMESH_TEST_NATS_URL` names, which others may use as well; else one of our own. */
export const natsEndpoint = async (environment: Environment = systemEnvironment()): Promise<Endpoint> =>
  running(environment['FOLDMESH_TEST_NATS_URL']) ?? natsServer();

/** The running Redis that `FOLDMESH_TEST_REDIS_URL` names, which others may use as well; else one of our own. */
export const redisEndpoint = async (environment: Environment = systemEnvironment()): Promise<Endpoint> =>
  running(environment['FOLDMESH_TEST_REDIS_URL']) ?? redisServer();

/** What was not started here is not ended here. */
const running = (url: string | undefined): Endpoint | undefined =>
  url === undefined || url === '' ? undefined : { url, [Symbol.asyncDispose]: async () => undefined };
