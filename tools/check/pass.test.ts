import { expect, it } from 'vitest';
import type { Gate } from './gates.ts';
import { passageOf, repeatOf } from './pass.ts';

const gate: Gate = {
  name: 'lint',
  command: ['biome', 'lint', '.'],
  unit: 'files',
  lookedMin: 2,
  looked: (output) => Number(/Checked (\d+)/.exec(output)?.[1] ?? 0),
};

it('passes a command that looked at enough', () => {
  expect(passageOf(gate, { code: 0, output: 'Checked 2 files' }, 1234)).toEqual({
    line: 'lint    ok      2 files, 1.2 s',
  });
});

it('fails a command that failed, with its output and how to repeat it', () => {
  expect(passageOf(gate, { code: 1, output: 'a.ts:1: wrong\n\n' }, 0)).toEqual({
    line: 'lint    FAILED  0.0 s; repeat it with: node tools/bootstrap.mjs exec biome lint .',
    why: 'a.ts:1: wrong\n',
  });
});

it.each(['Checked 1 files', 'nothing to do'])('fails a command that is content with %j', (output) => {
  const { line, why } = passageOf(gate, { code: 0, output }, 0);
  expect(line).toContain('FAILED');
  expect(why).toMatch(/it looked at [01] files, and must at 2 or more/);
});

it('fails a gate that cannot tell what it looked at', () => {
  const looked = (): number => {
    throw new Error('never read: a.ts');
  };
  expect(passageOf({ ...gate, looked }, { code: 0, output: '' }, 0).why).toBe('never read: a.ts\n');
});

it('quotes what a shell would take apart', () => {
  expect(repeatOf(['vitest', 'run', '-t', 'a b'])).toBe("node tools/bootstrap.mjs exec vitest run -t 'a b'");
});
