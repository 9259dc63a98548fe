import { expect, it } from 'vitest';
import { heardOffers } from './heard-offers.ts';
import { silentMs } from './offering.ts';

const said = (pool: string, name: string, at: number) => ({ service: 'worker', pool, name, at });
const shown = (...all: readonly ReturnType<typeof said>[]) =>
  new Map(all.map((one) => [`${one.pool}.${one.name}`, one]));
const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);

it('keeps what a reading of a moment ago does not show yet', () => {
  const offers = heardOffers<ReturnType<typeof said>>();
  expect(names(offers.hear(shown(said('a', 'new', 100_000), said('b', 'other', 99_000))))).toEqual([
    'new',
    'other',
  ]);
  expect(names(offers.hear(shown(said('b', 'other', 99_000))))).toEqual(['new', 'other']);
  expect(names(offers.hear(shown()))).toEqual(['new', 'other']);
});

it('takes no older word of a subject for its last', () => {
  const offers = heardOffers<ReturnType<typeof said>>();
  offers.hear(shown(said('a', 'old', 90_000), said('a', 'new', 100_000)));
  const [newest] = offers.hear(shown(said('a', 'old', 90_000), said('a', 'new', 95_000)));
  expect(newest).toEqual(said('a', 'new', 100_000));
});

it('lets go what nobody shows any more, once it would have been said again', () => {
  const offers = heardOffers<ReturnType<typeof said>>();
  offers.hear(shown(said('a', 'removed', 100_000)));
  expect(names(offers.hear(shown(said('b', 'here', 100_000 + silentMs - 1))))).toEqual(['here', 'removed']);
  expect(names(offers.hear(shown(said('b', 'here', 100_000 + silentMs))))).toEqual(['here']);
});

it('takes a later word as it is, also where the pool has fewer names than before', () => {
  const offers = heardOffers<ReturnType<typeof said>>();
  offers.hear(new Map([['a', said('a', 'before', 100_000)]]));
  expect(names(offers.hear(new Map([['a', said('a', 'after', 100_000)]])))).toEqual(['after']);
});
