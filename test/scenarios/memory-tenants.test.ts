import type { Model, ModelRequest } from '@foldmesh/ports';
import { z } from '@foldmesh/sdk';
import { describe, expect, it } from 'vitest';
import { type MemorySetup, withMemory } from './memory-mesh.ts';
import { afterRemember, memorySkills, recalls, remembers } from './memory-skills.ts';

describe('C099: two tenants at once', () => {
  const tenants = ['acme', 'umbrella'] as const;
  const other = { acme: 'umbrella', umbrella: 'acme' } as const;
  const secret = (tenant: string): string => `secret-of-${tenant}`;
  const nasty = ['*', '>', '../', '/', ':', '__proto__', '%', '\u0000'];
  const own = (tenant: string, index: number): string =>
    `canary ${tenant} ${nasty[index % nasty.length]} ${secret(tenant)}`;
  /** What a model or a skill of one tenant says of the other. */
  const prying = (tenant: keyof typeof other, index: number): string =>
    `canary ${other[tenant]} ${other[tenant]}/job-${index} ${nasty[index % nasty.length]}`;

  const each = (jobs: (tenant: keyof typeof other, index: number) => Promise<void>): Promise<unknown> =>
    Promise.all(tenants.flatMap((tenant) => Array.from({ length: 25 }, (_, index) => jobs(tenant, index))));

  it('skills find only their own, whatever they ask for', () =>
    withMemory({ skills: memorySkills }, 1, ({ run, facts }) =>
      each(async (tenant, index) => {
        const { output, why } = await run(tenant, `job-${index}`, [
          remembers(own(tenant, index)),
          recalls({ text: prying(tenant, index), limit: 100 }, afterRemember),
        ]);
        expect(why).toBe('');
        expect(JSON.stringify(output)).toContain(secret(tenant));
        expect(JSON.stringify(output)).not.toContain(secret(other[tenant]));
      }).then(async () => {
        for (const tenant of tenants) expect(await facts(tenant)).toHaveLength(25);
      }),
    ));

  it("no model is told of another tenant's facts", async () => {
    const asked: ModelRequest[] = [];
    const setup: MemorySetup = { agents: [clerk], model: prier(asked) };
    await withMemory(setup, 1, async ({ run, facts, defects }) => {
      await each(async (tenant, index) => {
        const input = { mine: own(tenant, index), theirs: prying(tenant, index) };
        expect((await run(tenant, `job-${index}`, [{ id: 'clerk', agent: 'clerk', input }])).why).toBe('');
      });
      for (const tenant of tenants) {
        expect(await facts(tenant)).toHaveLength(25);
        const told = asked.filter(({ messages }) => JSON.stringify(messages[0]).includes(secret(tenant)));
        expect(told).toHaveLength(3 * 25);
        expect(JSON.stringify(told)).not.toContain(secret(other[tenant]));
        const found = told.flatMap(({ messages }) => messages).filter(({ role }) => role === 'tool');
        expect(JSON.stringify(found)).toContain(secret(tenant));
      }
      expect(defects).toEqual([]);
    });
  });
});

const clerk = {
  name: 'clerk',
  instructions: 'Remember what is yours, and look for what is not.',
  model: 'scripted',
  tools: ['memory.write', 'memory.query'],
};

/** A model that writes down its own fact, then asks for the other tenant's, then says that it is done. */
const prier = (asked: ModelRequest[]): Model => ({
  reply(request) {
    asked.push(request);
    const [first] = request.messages;
    const { mine, theirs } = z
      .object({ mine: z.string(), theirs: z.string() })
      .parse(JSON.parse(first?.role === 'user' ? first.text : ''));
    const calls = [
      [{ name: 'memory.write', input: { text: mine, tags: ['fact'] } }],
      [{ name: 'memory.query', input: { text: theirs, tags: ['fact'], limit: 100 } }],
      [],
    ];
    const turns = request.messages.filter(({ role }) => role === 'assistant').length;
    const usage = { input_tokens: 1, output_tokens: 1 };
    return Promise.resolve({ ok: true, value: { text: 'done', calls: calls[turns] ?? [], usage } });
  },
});
