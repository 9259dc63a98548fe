export { headers } from '@nats-io/transport-node';
export { type Connection, openConnection } from './connection.ts';
export { consumerOf } from './consumers.ts';
export { defaultTimings } from './settings.ts';
export { streamNames } from './streams.ts';
