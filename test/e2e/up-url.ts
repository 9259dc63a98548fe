import type { Bench } from './command-line.ts';

/** The whole mesh as one process; gives the address that its API is at. */
export const upUrl = async (at: Bench): Promise<string> => {
  const started = at.start(['up', '--port', '0']);
  let said = '';
  started.process.stdout?.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  await started.says(/http:\/\/127\.0\.0\.1:\d+/);
  return /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? '';
};
