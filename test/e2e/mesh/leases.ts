import type { RedisServer } from '@foldmesh/testbed';
import { redisCommand } from './redis-command.ts';

const script =
  "local time = redis.call('TIME') local now = time[1] * 1000 + time[2] / 1000 local live, lapsed = 0, '' " +
  "for _, key in ipairs(redis.call('KEYS', '*')) do if redis.call('TYPE', key).ok == 'string' then " +
  "local record = redis.call('GET', key) local status, lease = string.match(record, '^(%l+) %S+ (%d+) ') " +
  "if status == 'claimed' or status == 'started' then " +
  "if tonumber(lease) > now then live = live + 1 else lapsed = lapsed .. ', ' .. status .. ' ' .. key end " +
  'end end end return live .. lapsed';

/** Claims that somebody holds, and those that whoever held them has left behind, as they lie in the store. */
export interface OpenClaims {
  readonly live: number;
  readonly lapsed: readonly string[];
}

export const openClaims = async (redis: RedisServer): Promise<OpenClaims> => {
  const answer = await redisCommand(redis, `EVAL "${script}" 0`);
  const [, said] = /^\$\d+\r\n(\d+.*)\r\n/.exec(answer) ?? [];
  if (said === undefined) throw new Error(`the store answered ${answer}`);
  const [live, ...lapsed] = said.split(', ');
  return { live: Number(live), lapsed };
};
