import { expect, it } from 'vitest';
import { failureLines, judge } from './tests.ts';

const sound = { passed: 2, failed: [], skipped: [] };
const command = ['vitest', 'run'];

it('takes a summary as it is where the runner ended well or the failures explain it', () => {
  expect(judge(sound, 0, command)).toBe(sound);
  const failed = { ...sound, failed: [{ file: 'a.test.ts' }] };
  expect(judge(failed, 1, command)).toBe(failed);
});

it('counts a crash of the runner as a failure', () => {
  expect(judge(undefined, 139, command).failed).toEqual([{ file: 'vitest run left no summary' }]);
  expect(judge(sound, 1, command).failed).toEqual([{ file: 'vitest run ended with exit code 1' }]);
});

it('says how to repeat a test whose name holds signs of a pattern', () => {
  expect(failureLines([{ file: 'a.test.ts', test: "a list > isn't (all) there" }])).toEqual([
    "failed: a.test.ts > a list > isn't (all) there\n" +
      "  repeat it with: node tools/bootstrap.mjs exec vitest run a.test.ts -t 'a list isn.t .all. there'",
  ]);
});

it('does not drown the last lines in failures', () => {
  const many = Array.from({ length: 25 }, (_, index) => ({ file: `${index}.test.ts` }));
  expect(failureLines(many)).toHaveLength(21);
  expect(failureLines(many).at(-1)).toBe('and 5 more');
});
