import { fail, fault, type Json } from '@foldmesh/envelope';
import type { Memory } from '@foldmesh/ports';
import { defineSkill, type Skill, z } from '@foldmesh/sdk';
import { describe, expect, it } from 'vitest';
import { type Ended, withMemory } from './memory-mesh.ts';
import { afterRemember, memorySkills, recalls, remembers } from './memory-skills.ts';

const textsOf = ({ output, why }: Ended): readonly string[] => {
  expect(why).toBe('');
  return z
    .array(z.looseObject({ text: z.string() }))
    .parse(output)
    .map(({ text }) => text);
};

describe('a skill', () => {
  it('remembers in one job and recalls in another of its tenant', () =>
    withMemory({ skills: memorySkills }, 1, async ({ run }) => {
      const first = await run('acme', 'one', [remembers('a red door', 'a green door')]);
      expect(first.output).toEqual([
        { id: 'acme/one/remember/1/0-0-0/0', duplicate: false },
        { id: 'acme/one/remember/1/0-1-0/0', duplicate: false },
      ]);
      expect(first.state.tool_calls).toBe(2);
      expect(textsOf(await run('acme', 'two', [recalls({ text: 'RED door' })]))).toEqual([
        'a red door',
        'a green door',
      ]);
      expect(textsOf(await run('acme', 'three', [recalls({ text: 'door', this_job: true })]))).toEqual([]);
      expect(textsOf(await run('acme', 'four', [recalls({ limit: 1 })]))).toHaveLength(1);
    }));

  it('hears at once what memory would not take', () =>
    withMemory({ skills: memorySkills }, 1, async ({ run, clock, facts }) => {
      const begun = clock.now();
      const empty = await run('acme', 'one', [remembers('')]);
      expect(empty.why).toContain('memory.write: text');
      const long = { id: 'long', skill: 'test.remember', input: [{ text: 'x', data: 'x'.repeat(70_000) }] };
      expect((await run('acme', 'two', [long])).why).toContain('overflow: task long failed: a fact of');
      expect((await run('acme', 'three', [recalls({ tenant: 'umbrella' })])).why).toContain('memory.query:');
      expect(clock.now() - begun).toBeLessThan(20_000);
      expect(await facts('acme')).toEqual([]);
    }));

  it('gets more than fits a message by reference', () =>
    withMemory({ skills: memorySkills }, 1, async ({ run }) => {
      const texts = Array.from({ length: 40 }, (_, index) => `${index} ${'x'.repeat(7_000)}`);
      const ended = await run('acme', 'one', [remembers(...texts), recalls({ limit: 100 }, afterRemember)]);
      expect(textsOf(ended).toSorted()).toEqual(texts.toSorted());
    }));
});

describe('a skill that runs again', () => {
  const dying = { worker: { at: 'inbox.complete', when: 'before', of: 'task.assign' } } as const;

  it('C100: answers from what is stored: its worker dies at the end, and nothing is written twice', () => {
    const both = defineSkill({
      name: 'test.both',
      input: z.json(),
      run: async (_, call) => [await call.remember({ text: 'once' }), await call.recall({ text: 'once' })],
    });
    return withMemory({ skills: [both], deaths: dying }, 1, async ({ run, writes, deaths }) => {
      const { output, why } = await run('acme', 'one', [{ id: 'both', skill: 'test.both', input: 1 }]);
      expect([why, deaths, writes]).toEqual(['', ['worker-1'], ['acme/one/both/1/0/0']]);
      expect(output).toMatchObject([{ duplicate: false }, [{ text: 'once' }]]);
    });
  });

  const wavering = (first: string, second: string): Skill => {
    let runs = 0;
    const step = { write: 'remember', query: 'recall', tool: 'tool' } as const;
    return defineSkill({
      name: 'test.waver',
      input: z.json(),
      run: async (_, call) => {
        runs += 1;
        const what = runs === 1 ? first : second;
        if (what === step.write) return call.remember({ text: `run ${runs}` });
        return what === step.query ? [...(await call.recall({ text: 'run' }))] : call.tool('files.read', {});
      },
    });
  };
  const waver: Json = { id: 'waver', skill: 'test.waver', input: 1 };

  for (const [first, second, now] of [
    ['remember', 'remember', 'memory.write {"text":"run 2"}'],
    ['remember', 'recall', 'memory.query {"text":"run"}'],
    ['recall', 'tool', 'files.read {}'],
  ] as const)
    it(`must ask the same at the same number: first ${first}, then ${second}`, () =>
      withMemory({ skills: [wavering(first, second)], deaths: dying }, 1, async ({ run, deaths, writes }) => {
        const { why } = await run('acme', 'one', [waver]);
        expect(deaths).toEqual(['worker-1']);
        expect(why).toContain('the skill does not repeat itself');
        expect(why).toContain(`now ${now}`);
        expect(writes.length).toBe(first === 'remember' ? 1 : 0);
      }));
});

describe('C100: a fact is remembered once', () => {
  for (const [name, death] of [
    ['between the store and its answer', { at: 'memory.write' }],
    ['between the answer and its record', { at: 'inbox.complete', when: 'before', of: 'memory.write' }],
    ['between the record and the ack', { at: 'delivery.ack', when: 'before', of: 'memory.write' }],
  ] as const)
    it(`when memory dies ${name}`, () =>
      withMemory(
        { skills: memorySkills, deaths: { memory: { ...death, times: 2 } } },
        1,
        async ({ run, facts, deaths }) => {
          const { why } = await run('acme', 'one', [remembers('once')]);
          expect([why, deaths.length > 0]).toEqual(['', true]);
          expect((await facts('acme')).map(({ text }) => text)).toEqual(['once']);
        },
      ));

  it('when the dedup store has forgotten that it ran', () => {
    // The service dies before it can record the write, and the store loses all it knew before the copy comes.
    const deaths = { memory: { at: 'inbox.complete', when: 'before', of: 'memory.write' } } as const;
    return withMemory({ skills: memorySkills, deaths }, 1, async ({ run, facts, doors, clock, writes }) => {
      const running = run('acme', 'one', [remembers('once')]);
      while (writes.length === 0) await clock.sleep(10);
      doors.forgetAll();
      const { why, output } = await running;
      expect([why, output, writes.length]).toEqual(['', [{ id: writes[0], duplicate: true }], 2]);
      expect(await facts('acme')).toHaveLength(1);
    });
  });

  it('whatever is lost, repeated and late', async () => {
    for (const seed of [1, 2, 3, 4, 5])
      await withMemory(
        {
          skills: memorySkills,
          faults: {
            repeat: 0.2,
            delay: 0.1,
            reorder: 0.2,
            loseAck: 0.2,
            losePublishReply: 0.2,
            loseCast: 0.3,
            loseClaimReply: 0.1,
            loseRecord: 0.02,
            unavailable: 0.1,
            slow: 0.2,
          },
        },
        seed,
        async ({ run, facts, defects }) => {
          const texts = Array.from({ length: 10 }, (_, index) => `fact ${index}`);
          const ended = await run('acme', 'one', [
            remembers(...texts),
            recalls({ text: 'fact' }, afterRemember),
          ]);
          expect(textsOf(ended).toSorted()).toEqual(texts.toSorted());
          expect(await facts('acme')).toHaveLength(10);
          expect(defects).toEqual([]);
        },
      );
  });
});

describe('a store that is away', () => {
  const away = fail(fault('unavailable', 'the store is away', { retry_after_ms: 50 }));
  const awayFor = (times: number) => {
    let left = times;
    return (memory: Memory): Memory => ({
      ...memory,
      write: (fact) => (left-- > 0 ? Promise.resolve(away) : memory.write(fact)),
    });
  };

  it('keeps its callers waiting, and costs no attempt', () =>
    withMemory({ skills: memorySkills, store: awayFor(20) }, 1, async ({ run, facts }) => {
      const { why, state } = await run('acme', 'one', [remembers('late')]);
      expect([why, state.tasks.map(({ attempt }) => attempt)]).toEqual(['', [1]]);
      expect(await facts('acme')).toHaveLength(1);
    }));

  it('keeps them no longer than their deadline', () =>
    withMemory(
      { skills: memorySkills, store: awayFor(Number.POSITIVE_INFINITY) },
      1,
      async ({ run, facts }) => {
        const { state } = await run('acme', 'one', [remembers('never')]);
        expect(state.status).toBe('failed');
        expect(await facts('acme')).toEqual([]);
      },
    ));
});

describe('a pipeline', () => {
  const pipelines = {
    lookup: {
      inputs: ['words'],
      templates: { say: 'known: ${facts}' },
      steps: [
        {
          kind: 'retrieve',
          ref: 'memory',
          input_mapping: { text: 'words', limit: 2, this_job: { value: false } },
          output_keys: ['facts'],
        },
        { kind: 'render', ref: 'say', input_mapping: { facts: 'facts' }, output_keys: ['said'] },
      ],
      output_keys: ['facts', 'said'],
    },
  };
  const task = (words: Json): Json => ({ id: 'look', pipeline: 'lookup', input: { words } });

  it('retrieves facts as a list under its one key', () =>
    withMemory({ skills: memorySkills, pipelines }, 1, async ({ run }) => {
      await run('acme', 'one', [remembers('red', 'red door', 'red green door')]);
      const { why, output } = await run('acme', 'two', [task('red green door')]);
      expect(why).toBe('');
      expect(output).toMatchObject({ facts: [{ text: 'red green door', job: 'one' }, { text: 'red door' }] });
      expect(output).toMatchObject({ said: expect.stringContaining('known: [{') });
    }));

  it('says which field has a value that memory does not take', () =>
    withMemory({ skills: memorySkills, pipelines }, 1, async ({ run }) => {
      expect((await run('acme', 'one', [task(7)])).why).toContain('memory.query: text');
    }));
});
