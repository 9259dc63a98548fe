export { type RedisStores, redisStores } from './redis-stores.ts';
export type { RedisDurability, RedisReport } from './report.ts';
export type { RedisSettings } from './settings.ts';
