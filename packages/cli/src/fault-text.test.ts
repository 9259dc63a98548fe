import { expect, it } from 'vitest';
import { faultText, wholeFaultText } from './fault-text.ts';

const thrown = (...frames: readonly string[]): string =>
  ['bad.one threw: Error: boom', ...frames.map((frame) => `    at ${frame}`)].join('\n');

it.for([
  [
    ['Object.run (file:///home/me/skills/bad.ts:4:9)', 'guarded (file:///mesh/run-task.ts:97:21)'],
    '/home/me/skills/bad.ts:4',
  ],
  [['file:///home/me/skills/bad.ts:4:9'], '/home/me/skills/bad.ts:4'],
  [['async Object.run (/home/me/skills/bad.ts:40:9)'], '/home/me/skills/bad.ts:40'],
  [
    ['JSON.parse (<anonymous>)', 'Object.run (file:///home/me/skills/bad.ts?generation=2:4:9)'],
    '/home/me/skills/bad.ts:4',
  ],
  [
    ['open (node:fs:1:2)', 'parse (file:///me/node_modules/zod/index.js:1:2)', 'run (file:///me/bad.ts:7:1)'],
    '/me/bad.ts:7',
  ],
] as const)('says where a skill threw: %s', ([frames, place]) => {
  expect(faultText(thrown(...frames))).toBe(`bad.one threw: Error: boom (${place})`);
});

it('leaves alone what has no stack', () => {
  expect(faultText('no such file: a\nsee below')).toBe('no such file: a');
  expect(wholeFaultText('no such file: a\nsee below')).toBe('no such file: a\nsee below');
  expect(wholeFaultText(thrown('run (file:///me/bad.ts:7:1)'))).toBe(
    faultText(thrown('run (file:///me/bad.ts:7:1)')),
  );
});
