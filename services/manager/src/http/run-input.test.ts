import { expect, test } from 'vitest';
import { runInput } from './run-input.ts';

test('what nobody made is null, as its agent was told, and what leads nowhere stays as it was written', async () => {
  const part = {
    input: { bad: '${tasks.bad.output}', good: 'so: ${tasks.good.output}', lost: '${tasks.x.output}' },
  };
  const bind = { 'tasks.bad.output': { value: null }, 'tasks.good.output': { value: 1 } };
  const values = {
    load: async (_: unknown, __: unknown, { value }: { readonly value: unknown }) => ({ ok: true, value }),
  };
  const begun = { part, bind } as never; // no more of a run's beginning is looked at
  const told = await runInput({ values } as never, { tenant: 't', job: 'j' } as never, begun); // values that lie inline
  expect(told).toEqual({ ok: true, value: { bad: null, good: 'so: 1', lost: '${tasks.x.output}' } });
});
