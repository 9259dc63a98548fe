import { describe, expect, it } from 'vitest';
import { withMemory } from './memory-mesh.ts';

describe('C005: the same names under two tenants', () => {
  it('are two jobs, two tasks and two answers', () =>
    withMemory({}, 1, async ({ run, defects }) => {
      const tenants = ['acme', 'umbrella'];
      const echoed = await Promise.all(
        tenants.map((tenant) =>
          run(tenant, 'order-1', [{ id: 'echo', skill: 'debug.echo', input: { whose: tenant } }]),
        ),
      );
      expect(echoed.map(({ why }) => why)).toEqual(['', '']);
      expect(echoed.map(({ output }) => output)).toEqual(tenants.map((whose) => ({ whose })));
      expect(echoed.map(({ state }) => state.tenant)).toEqual(tenants);
      expect(defects).toEqual([]);
    }));

  it('and a tool that takes the key is given two keys', () =>
    withMemory({}, 1, async ({ run }) => {
      const input = { id: 'shared' };
      const booked = await Promise.all(
        ['acme', 'umbrella'].map((tenant) =>
          run(tenant, 'order-1', [{ id: 'book', tool: 'witness.keyed', input }]),
        ),
      );
      expect(booked.map(({ state }) => state.status)).toEqual(['completed', 'completed']);
    }));
});
