import { embedded, seededRandom, virtualClock } from '@foldmesh/embedded';
import { fail, fault, type Json } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { answerToolOf, toolShelf } from './tool-shelf.ts';

const schema = { type: 'object' };
const offer = (name: string, more: Json = {}) => ({
  kind: 'tool',
  name,
  input_schema: schema,
  ...(more as object), // an object in every test
});

const shelfOn = () => {
  const { index } = embedded({ clock: virtualClock(), random: seededRandom(1) });
  const logged: string[] = [];
  const shelf = toolShelf({ index, log: (_, message) => void logged.push(message) });
  const offers = (pool: string, ...tools: readonly Json[]) =>
    index.put(`mesh.v1.catalogue.tool-gateway.${pool}`, { service: 'tool-gateway', pool, offers: tools });
  return { index, shelf, offers, logged };
};

test('memory is there from the start, a gateway’s tools once they have been read', async () => {
  const { shelf, offers } = shelfOn();
  expect(shelf.find('memory.write')?.run).toEqual({ name: 'memory.write', by: 'memory', terminal: false });
  expect(shelf.find('memory.query')?.told.schema).toMatchObject({ type: 'object' });
  await offers(
    'default',
    offer('files.search', { description: 'Finds.' }),
    offer('plan.submit', { terminal: true }),
  );
  expect(shelf.find('files.search')).toBeUndefined();
  await shelf.refresh();
  expect(shelf.find('files.search')).toMatchObject({
    run: { name: 'files.search', by: 'gateway', terminal: false, pool: 'default' },
    told: { name: 'files.search', description: 'Finds.', schema },
  });
  expect(shelf.find('plan.submit')?.run.terminal).toBe(true);
});

test('what a gateway no longer offers is gone, and memory’s names are nobody else’s', async () => {
  const { shelf, offers } = shelfOn();
  await offers('default', offer('files.search'), offer('memory.write'));
  await shelf.refresh();
  expect(shelf.find('memory.write')?.run.by).toBe('memory');
  await offers('default', offer('files.write'));
  await shelf.refresh();
  expect([shelf.find('files.search'), shelf.find('files.write')?.run.name]).toEqual([
    undefined,
    'files.write',
  ]);
});

test('a tool is called in the pool of the gateway that offers it', async () => {
  const { shelf, offers } = shelfOn();
  await offers('default', offer('files.search'));
  await offers('lab', offer('lab.measure'));
  await shelf.refresh();
  const poolOf = (name: string) => shelf.find(name)?.run.pool;
  expect(['files.search', 'lab.measure', 'memory.query'].map(poolOf)).toEqual(['default', 'lab', undefined]);
});

test('an offer that cannot be read keeps no other gateway’s tools away', async () => {
  const { shelf, offers } = shelfOn();
  await offers('broken', { kind: 'tool' });
  await offers('default', offer('files.search'));
  await shelf.refresh();
  expect(shelf.find('files.search')).toBeDefined();
});

test('what was once read stays when the catalogue cannot be read', async () => {
  const { index, offers } = shelfOn();
  await offers('default', offer('files.search'));
  let away = false;
  const logged: string[] = [];
  const shelf = toolShelf({
    index: {
      ...index,
      list: async (prefix) => (away ? fail(fault('unavailable', 'away')) : index.list(prefix)),
    },
    log: (_, message) => void logged.push(message),
  });
  await shelf.refresh();
  away = true;
  await shelf.refresh();
  expect(shelf.find('files.search')).toBeDefined();
  expect(logged).toEqual(['the tools on offer cannot be read']);
});

test('a declared answer is told as a tool of its shape', () => {
  expect(answerToolOf(schema)).toMatchObject({ name: 'answer', schema });
});
