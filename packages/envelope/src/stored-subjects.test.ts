import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { JobId, TaskId, TenantId } from './ids.ts';
import {
  catalogueRoot,
  indexedAt,
  indexPrefix,
  indexSubject,
  type JobPosition,
  journalOf,
  journalSubject,
} from './stored-subjects.ts';

const token = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,10}$/);
const run = fc.record({
  task: fc.oneof(
    token.map((name) => TaskId.parse(name)),
    fc.constant(TaskId.parse('a~1~22')),
  ),
  round: fc.integer({ min: 1, max: 10_000 }),
});
const position: fc.Arbitrary<JobPosition> = fc
  .record({
    tenant: token.map((name) => TenantId.parse(name)),
    job: token.map((name) => JobId.parse(name)),
    run: fc.option(run, { nil: undefined }),
  })
  .map(({ run: of, ...job }) => (of === undefined ? job : { ...job, run: of }));

it('a subject of journal or index tells whose it is, and is read as no other', () => {
  return fc.assert(
    fc.property(position, (of) => {
      expect(journalOf(journalSubject(of))).toEqual(of);
      expect(indexedAt(indexSubject(of))).toEqual(of);
      expect(journalOf(indexSubject(of))).toBeUndefined();
      expect(indexedAt(journalSubject(of))).toBeUndefined();
    }),
  );
});

it.each([
  '',
  'mesh.v1.t',
  'mesh.v1.t.journal.j',
  'mesh.v1.t.journal.j.jobs',
  'mesh.v1.t.journal.j.run.a',
  'mesh.v1.t.journal.j.run.a.x',
  'mesh.v1.t.journal.j.run.a.1.more',
  'mesh.v2.t.journal.j.job',
])('%s is of nobody in the journal', (subject) => {
  expect(journalOf(subject)).toBeUndefined();
});

it("the catalogue's subjects are no tenant's, not even of one that is called so", () => {
  expect(indexPrefix(TenantId.parse('catalogue')).startsWith(catalogueRoot)).toBe(true);
  expect(indexedAt(`${catalogueRoot}worker.default`)).toBeUndefined();
  expect(indexedAt(`${catalogueRoot}index.job`)).toEqual({ tenant: 'catalogue', job: 'job' });
});
