import { expect, it } from 'vitest';
import { eventually } from './eventually.ts';

it('returns what the check gives once it holds', async () => {
  let asked = 0;
  const found = await eventually(() => {
    asked += 1;
    if (asked === 1) throw new Error('not there');
    if (asked === 2) return false;
    return asked === 3 ? null : { asked };
  });
  expect(found.asked).toBe(4);
});

it('takes a block of expectations as it is', async () => {
  let asked = 0;
  await eventually(async () => {
    asked += 1;
    expect(asked).toBe(3);
  });
  expect(asked).toBe(3);
});

it('fails with what was last wrong', async () => {
  let asked = 0;
  const failing = eventually(
    () => {
      asked += 1;
      throw new Error(`wrong ${asked === 1 ? 'at first' : 'to the end'}`);
    },
    { withinMs: 60 },
  );
  await expect(failing).rejects.toThrow('wrong to the end');
  await expect(eventually(() => false, { withinMs: 1 })).rejects.toThrow('it was still false');
});

it('does not wait for ever for a check that does not come back', async () => {
  const silent = eventually(() => new Promise<boolean>(() => undefined), { withinMs: 30 });
  await expect(silent).rejects.toThrow('did not come back');
});
