import { Defect } from '@foldmesh/envelope';
import { expect, it } from 'vitest';
import { faultOfError } from './redis-fault.ts';

const replied = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });

it.each([
  "READONLY You can't write against a read only replica.",
  "OOM command not allowed when used memory > 'maxmemory'. script: 77f5, on @user_script:1.",
  'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
  'LOADING Redis is loading the dataset in memory',
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  'CLUSTERDOWN The cluster is down',
  'NOREPLICAS Not enough good replicas to write.',
  'BUSY Redis is busy running a script.',
  "NOPERM this user has no permissions to run the 'evalsha' command",
  "ERR The user executing the script can't run this command or subcommand script: 77f5, on @user_script:1.",
  "ERR ACL failure in script: User default has no permissions to run the 'set' command script: 77f5, on @user_script:1.",
])('what a server refuses took nothing on: %s', (message) => {
  const fault = faultOfError(replied(message));
  expect(fault).toMatchObject({ kind: 'unavailable', source: 'redis', retry_after_ms: 100 });
  expect(fault.detail).not.toContain('user_script');
});

it.each([
  'Connection is closed.',
  'read ECONNRESET',
  'Socket timeout. Expecting data',
  'Command aborted due to connection close',
])('what was sent may have been carried out: %s', (message) => {
  expect(faultOfError(new Error(message))).toMatchObject({ kind: 'unanswered', retry_after_ms: 100 });
});

it('what was never sent was not carried out', () => {
  const unsent = new Error("Stream isn't writeable and enableOfflineQueue options is false");
  expect(faultOfError(unsent)).toMatchObject({ kind: 'unavailable', retry_after_ms: 100 });
});

it.each(['WRONGTYPE Operation against a key', 'FOLDMESH the record a is unreadable', 'ERR unknown command'])(
  'what no waiting mends is invalid: %s',
  (message) => {
    const fault = faultOfError(replied(message));
    expect(fault.kind).toBe('invalid');
    expect(fault).not.toHaveProperty('retry_after_ms');
  },
);

it('a defect of ours is none of the world', () => {
  for (const ours of [new TypeError('x is not a function'), new Defect('L1: broken'), 'a string'])
    expect(() => faultOfError(ours)).toThrow();
});
