import { expect, it } from 'vitest';
import { apiLink } from './api-link.ts';

/** What a listener hears, one request after the other: a status, or why there is no answer. */
const heard = async (...answers: readonly (number | Error)[]): Promise<readonly boolean[]> => {
  const told: boolean[] = [];
  const coming = [...answers];
  const link = apiLink('http://mesh', async () => {
    const answer = coming.shift();
    if (typeof answer !== 'number') throw answer;
    return new Response('', { status: answer });
  });
  link.listen((isLost) => void told.push(isLost));
  for (const _ of answers) await link.fetch('http://mesh', {}).catch(() => undefined);
  return told;
};

const refused = new TypeError('fetch failed');

it('tells once that the API is lost and once that it is back, however often it is asked', async () => {
  expect(await heard(200, refused, refused, 503, 200, 404, refused)).toEqual([true, false, true]);
});

it('loses nothing that was never reached, and nothing by a request that is given up', async () => {
  expect(await heard(refused, 503, 200)).toEqual([]);
  expect(await heard(200, new DOMException('given up', 'AbortError'), 200)).toEqual([]);
});
