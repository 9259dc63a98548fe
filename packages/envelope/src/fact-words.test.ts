import { expect, it } from 'vitest';
import { factWords } from './fact-words.ts';

it.each([
  ['Green, RED: door!', ['green', 'red', 'door']],
  ['red Red RED', ['red']],
  ['Straße STRASSE', ['strasse']],
  ['ΟΔΟΣ οδος', ['οδος']],
  ['e\u0301t\u00e9 ﬁne', ['été', 'fine']],
  ["don't a_b 42", ['don', 't', 'a', 'b', '42']],
  [' *.> %_ \u0000 \ud800', []],
])('takes %j apart', (text, words) => {
  expect(factWords(text)).toEqual(words);
});
