import { describe, expect } from 'vitest';
import { type Bench, got, promise, type Rig } from './rig.ts';

/** What every index keeps: the last value of each subject. */
export const indexContract = (rig: Rig<'index'>): void => {
  describe(`the index on ${rig.name}`, () => {
    promise(rig, 'the last value of a subject counts', async (bench) => {
      const { index } = bench.ports;
      got(await index.put(subject(bench, 'job'), { status: 'queued' }));
      got(await index.put(subject(bench, 'job'), { status: 'running', wait: [1, null, 'x'] }));
      expect(await listed(bench, '')).toEqual({ job: { status: 'running', wait: [1, null, 'x'] } });
    });

    promise(rig, 'a list holds all subjects that begin with its prefix, and no other', async (bench) => {
      const { index } = bench.ports;
      for (const name of ['job-1', 'job-1.task.a', 'job-1.task.b', 'job-10', 'job-2'])
        got(await index.put(subject(bench, name), name));
      expect(Object.keys(await listed(bench, 'job-1.')).sort()).toEqual(['job-1.task.a', 'job-1.task.b']);
      expect(Object.keys(await listed(bench, 'job-1')).sort()).toEqual([
        'job-1',
        'job-1.task.a',
        'job-1.task.b',
        'job-10',
      ]);
      expect(await listed(bench, 'job-3')).toEqual({});
    });

    promise(rig, 'what is put and what is listed are copies', async (bench) => {
      const { index } = bench.ports;
      const value = { list: [1] };
      got(await index.put(subject(bench, 'job'), value));
      value.list.push(2);
      for (const found of got(await index.list(subject(bench, 'job'))))
        (found.value as typeof value).list.push(3); // as put
      expect(await listed(bench, '')).toEqual({ job: { list: [1] } });
    });
  });
};

const subject = ({ make }: Bench<'index'>, name: string): string => `mesh.v1.${make.tenant}.index.${name}`;

/** By name: in which order a list comes is nobody's promise. */
const listed = async (bench: Bench<'index'>, prefix: string): Promise<Record<string, unknown>> => {
  const found = got(await bench.ports.index.list(subject(bench, prefix)));
  return Object.fromEntries(found.map((one) => [one.subject.slice(subject(bench, '').length), one.value]));
};
