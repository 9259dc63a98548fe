import { readdirSync, readFileSync } from 'node:fs';
import { catalogueSubject, type Json, ok, PoolName, ServiceName } from '@foldmesh/envelope';
import { expect, it } from 'vitest';
import { catalogueView } from './catalogue-view.ts';
import { IndexedJob, IndexedRun } from './live-jobs.ts';

const folder = new URL('../fixtures/v1/', import.meta.url);
const files = readdirSync(folder);
const valueIn = (file: string): Json => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
const beginning = (start: string): readonly string[] => files.filter((file) => file.startsWith(start));

it.each(beginning('index-job'))('%s reads, and will for ever', (file) => {
  expect(IndexedJob.parse(valueIn(file))).toEqual(valueIn(file));
});

it.each(beginning('index-run'))('%s reads, and will for ever', (file) => {
  expect(valueIn(file)).toMatchObject(IndexedRun.parse(valueIn(file)));
});

it('what pools once said of themselves is found in the catalogue', async () => {
  const listed = beginning('offers-').map((file) => {
    const service = ServiceName.parse(file.replace(/^offers-|\.json$/g, ''));
    return { subject: catalogueSubject(service, PoolName.parse('default')), value: valueIn(file) };
  });
  const warnings: string[] = [];
  const view = catalogueView({
    index: { put: async () => ok(undefined), list: async () => ok(listed) },
    log: (_, said) => void warnings.push(said),
  });
  expect(await view.refresh()).toEqual(ok(undefined));
  expect([listed.length, warnings]).toEqual([3, []]);
  for (const [kind, name] of [
    ['skill', 'licence.audit'],
    ['agent', 'licence.reviewer'],
    ['pipeline', 'digest'],
    ['tool', 'files.read'],
  ] as const)
    expect(view.find(kind, name), name).toMatchObject({ name, pool: 'default' });
});
