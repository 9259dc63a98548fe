import { describe, expect } from 'vitest';
import { got, promise, type Rig } from './rig.ts';

/** What every list of dead letters keeps: the whole message, once. */
export const deadLettersContract = (rig: Rig<'dead'>): void => {
  describe(`dead letters on ${rig.name}`, () => {
    promise(
      rig,
      'a letter is kept whole, also where nobody can read its body or its key',
      async ({ ports: { dead }, make }) => {
        const letter = make.deadLetter('a', {
          key: undefined,
          body: new Uint8Array([0xff, 0x00, 0xc3, 0x28]),
        });
        got(await dead.put(letter));
        expect(got(await dead.list(make.tenant, make.job))).toEqual([letter]);
      },
    );

    promise(rig, 'of one id the first is kept', async ({ ports: { dead }, make }) => {
      got(await dead.put(make.deadLetter('a', { reason: 'first' })));
      got(await dead.put(make.deadLetter('a', { reason: 'second', strikes: 9 })));
      expect(got(await dead.list(make.tenant, make.job))).toEqual([
        make.deadLetter('a', { reason: 'first' }),
      ]);
    });

    promise(rig, 'letters are listed by tenant and by job', async ({ ports: { dead }, make }) => {
      got(await dead.put(make.deadLetter('a')));
      got(await dead.put(make.deadLetter('b', { job: make.otherJob })));
      got(await dead.put(make.deadLetter('c', { tenant: make.otherTenant })));
      const ids = async (tenant?: string, job?: string) =>
        got(await dead.list(tenant, job))
          .filter((letter) => letter.tenant === make.tenant || letter.tenant === make.otherTenant)
          .map(({ id }) => id)
          .sort();
      const id = (name: string) => make.deadLetter(name).id;
      expect(await ids(make.tenant, make.job)).toEqual([id('a')]);
      expect(await ids(make.tenant)).toEqual([id('a'), id('b')].sort());
      expect(await ids()).toEqual([id('a'), id('b'), id('c')].sort());
    });

    promise(rig, 'what is put and what is listed are copies', async ({ ports: { dead }, make }) => {
      const letter = make.deadLetter('a');
      const put = dead.put(letter);
      letter.body.fill(0);
      got(await put);
      got(await dead.list(make.tenant, make.job))[0]?.body.fill(0);
      expect(got(await dead.list(make.tenant, make.job))).toEqual([make.deadLetter('a')]);
    });
  });
};
