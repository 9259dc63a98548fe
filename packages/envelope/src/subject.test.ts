import { readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalogue, isType, kindOf, type Type } from './catalogue.ts';
import { JobId, PoolName, shardOf, TaskId, TenantId, wireIdOf } from './ids.ts';
import { invariant } from './invariant.ts';
import { Key, keyOf, positionOf } from './key.ts';
import { cancelSubject, liveSubject, queueOf, replySubject, workSubject } from './subject.ts';

interface Row {
  readonly type: string;
  readonly key: Key;
  readonly attempt: number;
  readonly epoch: number;
  readonly subject: string;
  readonly id: string;
}

/** The first decision has most of them; a type that came later stands in the one that brought it. */
const decisions = new URL('../../../docs/adr/', import.meta.url);

/** The rows of the tables of worked examples: six cells, each but attempt and epoch in backticks. */
const rows: readonly Row[] = readdirSync(decisions)
  .flatMap((file) => readFileSync(new URL(file, decisions), 'utf8').split('\n'))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  .filter((cells) => cells.length === 8 && /^[a-z]+\.[a-z]+$/.test(cells[1] ?? ''))
  .map(([, type = '', key, attempt, epoch, subject = '', id = '']) => ({
    type,
    key: Key.parse(key),
    attempt: Number(attempt),
    epoch: Number(epoch),
    subject,
    id,
  }));

const agentsAssignment = Key.parse('acme/j-7f3d/review/1/4/0');

describe('the worked examples of the decisions', () => {
  it('are there: a test of none of them would pass', () => {
    expect(rows.length).toBeGreaterThanOrEqual(15);
    expect(Object.keys(catalogue).filter((type) => !rows.some((row) => row.type === type))).toEqual([]);
  });

  it.each(rows)('$type $key: wire id', ({ type, key, attempt, epoch, id }) => {
    expect(wireIdOf(type, key, attempt, epoch)).toBe(id);
  });

  it.each(rows)('$type $key: subject', ({ type, key, attempt, subject }) => {
    const queue = queueOf(subject);
    invariant(queue, `${subject} is no work subject`);
    // A type that a later version brings is only a word here: its lane is given, and nothing else is asked of it.
    const lane = isType(type) && key !== agentsAssignment ? undefined : queue.lane;
    expect(workSubject(type as Type, queue, key, attempt, lane)).toBe(subject);
    const { tenant, job } = positionOf(key);
    expect([queue.tenant, queue.job]).toEqual([tenant, job]);
    if (queue.service === 'manager') expect(queue.pool).toBe(shardOf(job));
  });

  it("stand in the lane that the catalogue gives their type, but for an agent's assignment", () => {
    const others = rows.filter(
      ({ type, subject }) => isType(type) && queueOf(subject)?.lane !== kindOf(type).lane,
    );
    expect(others.map(({ type, key }) => [type, key])).toEqual([['task.assign', agentsAssignment]]);
  });

  it('are of types that there are, but for these two', () => {
    const unknown = rows.map(({ type }) => type).filter((type) => !isType(type));
    expect(unknown).toEqual(['run.tell', 'event.arrive']);
  });
});

const job = JobId.parse('j-7f3d');
const tenant = TenantId.parse('acme');
const key = keyOf({ tenant, job, task: TaskId.parse('audit~3'), round: 1, step: '17', call: '4' });
const to = { service: 'worker', pool: PoolName.parse('default') } as const;

describe('work subjects', () => {
  it('end in the attempt, and know no epoch', () => {
    expect(workSubject('tool.call', to, key, 2)).toMatch(/\.4\.2$/);
    expect(workSubject('tool.call', to, key, 3)).not.toBe(workSubject('tool.call', to, key, 2));
  });

  it('have as many tokens for any position, so that one filter finds a job', () => {
    return fc.assert(
      fc.property(fc.constantFrom(...(Object.keys(catalogue) as Type[])), fc.nat(999), (type, call) => {
        const tokens = workSubject(type, to, keyOf({ ...positionOf(key), call: `c-${call}` }), 1).split('.');
        expect(tokens).toHaveLength(kindOf(type).lane === 'submit' ? 6 : 14);
        expect(tokens[kindOf(type).lane === 'submit' ? 5 : 7]).toBe(job);
      }),
    );
  });

  it('name their queue, and nothing else does', () => {
    expect(queueOf(workSubject('tool.call', to, key, 1))).toEqual({ ...to, lane: 'call', tenant, job });
    expect(queueOf(workSubject('job.submit', to, key, 1))).toEqual({
      service: 'manager',
      pool: shardOf(job),
      lane: 'submit',
      tenant,
      job,
    });
    for (const other of [
      '',
      liveSubject(tenant, job),
      cancelSubject(tenant, job),
      replySubject('w-1'),
      'mesh.v1.acme.work.worker.default.other.j-7f3d.x',
      'mesh.v1.acme.work.worker.default.call.j-7f3d',
      'mesh.v1.acme.submit.10',
      'mesh.v1.acme.journal.j-7f3d.job',
    ])
      expect(queueOf(other)).toBeUndefined();
  });

  it('of control, live news and replies lie beside the work', () => {
    expect(cancelSubject(tenant, job)).toBe('mesh.v1.control.cancel.acme.j-7f3d');
    expect(liveSubject(tenant, job)).toBe('mesh.v1.acme.live.j-7f3d');
    expect(replySubject('w-1')).toBe('mesh.v1.reply.w-1');
  });
});
