export { type ChildProcess, type ChildSettings, childProcess } from './child-process.ts';
export { type Endpoint, natsEndpoint, redisEndpoint } from './endpoint.ts';
export { type EventuallySettings, eventually } from './eventually.ts';
export { freePort } from './free-port.ts';
export { type NatsServer, type NatsSettings, natsServer } from './nats-server.ts';
export { type RedisServer, type RedisSettings, redisServer } from './redis-server.ts';
export { findBinary, type ServerKind } from './server-binary.ts';
export type { ServerProcess } from './server-process.ts';
export { type BytesMatch, type ProxyCounts, type TcpProxy, tcpProxy } from './tcp-proxy.ts';
