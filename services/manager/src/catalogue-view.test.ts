import { fail, fault, type Json, ok, sha256Hex } from '@foldmesh/envelope';
import { fakePorts, pool } from '@foldmesh/runtime/internal';
import { describe, expect, it } from 'vitest';
import { catalogueView } from './catalogue-view.ts';

const digest = (name: string): string => sha256Hex(name);
const offer = (kind: string, name: string, more: object = {}): Json => ({
  kind,
  name,
  digest: digest(name),
  ...more,
});

const worker = (of: string, offers: readonly Json[], slots = 4): Json => ({
  service: 'worker',
  pool: of,
  slots,
  offers: [...offers],
});

const viewed = async (pools: Readonly<Record<string, Json>>) => {
  const fake = fakePorts();
  for (const [name, offers] of Object.entries(pools))
    await fake.ports.index.put(`mesh.v1.catalogue.${name}`, offers);
  const view = catalogueView(fake.ports);
  return { fake, view, refreshed: await view.refresh() };
};

describe('the catalogue', () => {
  it('gives tool tasks to the default pool where there is one, and to nobody else', async () => {
    const tools = { service: 'tool-gateway', pool: 'tools', slots: 1, offers: [offer('tool', 'files.list')] };
    const { view } = await viewed({
      'tool-gateway.tools': tools,
      'worker.another': worker('another', []),
      [`worker.${pool}`]: worker(pool, []),
    });
    expect(view.find('tool', 'files.list')?.pool).toBe(pool);
  });

  it('is what the pools say of themselves, each name with the pool that has it', async () => {
    const { view } = await viewed({
      'worker.far': worker('far', [offer('skill', 'far.work'), offer('pipeline', 'digest')], 7),
      'tool-gateway.tools': {
        service: 'tool-gateway',
        pool: 'tools',
        slots: 9,
        offers: [offer('tool', 'files.list')],
      },
    });
    expect(view.find('skill', 'far.work')).toEqual({
      kind: 'skill',
      name: 'far.work',
      pool: 'far',
      digest: digest('far.work'),
    });
    expect(view.find('skill', 'digest')).toBeUndefined();
    expect(view.find('pipeline', 'digest')?.pool).toBe('far');
    // A task that is a tool is carried out by workers, not by the gateway that has it: those that there are.
    expect(view.find('tool', 'files.list')?.pool).toBe('far');
    expect([view.slots('far' as never), view.slots('tools' as never), view.slots('none' as never)]).toEqual([
      7, 1, 1,
    ]); // tokens
  });

  it('names what there is of one kind, sorted, for an error that helps', async () => {
    const { view } = await viewed({
      'worker.a': worker('a', [offer('skill', 'z'), offer('tool', 't')]),
      'worker.b': worker('b', [offer('skill', 'a')]),
    });
    expect([view.names('skill'), view.names('tool'), view.names('pipeline')]).toEqual([
      ['a', 'z'],
      ['t'],
      [],
    ]);
  });

  it('tells of an agent which tools it needs', async () => {
    const agents = [offer('agent', 'clerk', { needs_tools: ['files.read'] }), offer('agent', 'older')];
    const { view } = await viewed({ 'worker.a': worker('a', agents) });
    expect(view.find('agent', 'clerk')?.needs_tools).toEqual(['files.read']);
    expect(view.find('agent', 'older')).not.toHaveProperty('needs_tools');
  });

  it('is read anew, and is what it was where it cannot be read', async () => {
    const { fake, view } = await viewed({ 'worker.a': worker('a', [offer('skill', 'old')]) });
    await fake.ports.index.put('mesh.v1.catalogue.worker.a', worker('a', [offer('skill', 'new')]));
    expect(view.find('skill', 'new')).toBeUndefined();
    expect(await view.refresh()).toEqual(ok(undefined));
    expect([view.find('skill', 'new')?.name, view.find('skill', 'old')]).toEqual(['new', undefined]);
    const away = fail(fault('unavailable', 'away'));
    fake.answer('index.list', away);
    expect(await view.refresh()).toEqual(away);
    expect(view.find('skill', 'new')?.name).toBe('new');
  });

  it('passes over what it cannot read, says so, and reads the rest', async () => {
    const { fake, view, refreshed } = await viewed({
      'worker.a': { service: 'worker', pool: 'no token!', slots: 0 },
      'worker.b': worker('b', [offer('skill', 'work')]),
    });
    expect([refreshed.ok, view.names('skill')]).toEqual([true, ['work']]);
    expect(fake.lines.filter((line) => line.includes('an offer that cannot be read')).length).toBe(1);
  });
});

describe('what something costs', () => {
  it('is the median of the durations seen last, and nothing before any', async () => {
    const { view } = await viewed({ 'worker.a': worker('a', [offer('skill', 'work')]) });
    expect(view.find('skill', 'work')).not.toHaveProperty('cost_ms');
    for (const ms of [900, 10, 30, 20]) view.observe('skill:work', ms);
    expect(view.find('skill', 'work')?.cost_ms).toBe(30);
    for (let n = 0; n < 15; n++) view.observe('skill:work', 5);
    expect(view.find('skill', 'work')?.cost_ms).toBe(5);
  });
});

describe('a pipeline inside a job', () => {
  it('is checked against what there is, and the fields that its steps give', async () => {
    const { view } = await viewed({
      'worker.a': worker('a', [offer('skill', 'sum', { output_keys: ['total'] })]),
    });
    const step = (ref: string, output_keys: readonly string[]) => ({
      kind: 'invoke',
      ref,
      output_keys: [...output_keys],
    });
    expect(view.pipelineProblems([step('sum', ['total'])])).toEqual([]);
    expect(view.pipelineProblems([step('sum', ['total', 'mean'])])).toEqual([
      'step 1: output_keys: sum gives no mean, it gives total',
    ]);
    expect(view.pipelineProblems([step('nobody', ['x'])])).toEqual(['step 1: ref: there is no skill nobody']);
  });
});
