import { canonicalJson } from '@foldmesh/envelope';

/** A story that went otherwise than told; test runners show the difference between its two fields. */
export class OtherStory extends Error {
  override readonly name = 'OtherStory';
  readonly actual: unknown;
  readonly expected: unknown;

  constructor(message: string, actual: unknown, expected: unknown) {
    super(message);
    this.actual = actual;
    this.expected = expected;
  }
}

/** Gives `story` back, so that it can be told on; fails where what came of it is not what was expected. */
export const same = <Story>(what: string, actual: unknown, expected: unknown, story: Story): Story => {
  if (canonicalJson(actual) !== canonicalJson(expected))
    throw new OtherStory(`other ${what} than told`, actual, expected);
  return story;
};
