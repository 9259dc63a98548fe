import { expect, test } from 'vitest';
import { withholdThoughts } from './withhold-thoughts.ts';

test('of what a model thought only the size is told, whatever shape it has', () => {
  const said = { kind: 'model-replied', v: 1, text: 'so', calls: [], at: 1 };
  for (const [reasoning, bytes] of [
    ['hm', 4],
    [{ signature: 'c2ln' }, 20],
    [[{ type: 'redacted', data: 'ü' }], 33],
    [null, 4],
  ] as const)
    expect(withholdThoughts({ ...said, reasoning })).toEqual({
      ...said,
      reasoning: { withheld_bytes: bytes },
    });
});

test('an event without it is told as it is', () => {
  for (const event of [{ kind: 'model-asked', v: 1 }, 'no event', null, ['reasoning']])
    expect(withholdThoughts(event)).toBe(event);
});
