import { invariant } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { defaultTopology } from './settings.ts';
import { essentialSettings, streamNames, wantedStreams } from './streams.ts';
import { differencesOf, isNewEnough, topologyFault } from './topology.ts';

const streams = wantedStreams(defaultTopology);

const stream = (name: string) => {
  const found = streams.find((one) => one.name === name);
  invariant(found, `there is no stream ${name}`);
  return found;
};

describe('the version of a server', () => {
  it.each([
    ['2.9.25', false],
    ['2.10.0', true],
    ['2.10.27-RC.1', true],
    ['2.15.1', true],
    ['3.0.0', true],
    ['1.99.0', false],
    ['', false],
    ['dev', false],
  ])('%s: new enough is %s', (version, enough) => {
    expect(isNewEnough(version)).toBe(enough);
  });
});

describe('differences', () => {
  it('are none where the server echoes what was asked for', () => {
    for (const wanted of streams) expect(differencesOf(wanted, { config: wanted })).toEqual([]);
  });

  it('are none where it leaves out what is false, none or nothing', () => {
    const { deny_delete, deny_purge, sealed, max_age, ...echoed } = stream(streamNames.work);
    expect([deny_delete, deny_purge, sealed, max_age]).toEqual([false, false, false, 0]);
    expect(differencesOf(stream(streamNames.work), { config: echoed })).toEqual([]);
  });

  it('are seen where a server drops in silence what it does not know', () => {
    const { discard_new_per_subject, ...echoed } = stream(streamNames.work);
    expect(discard_new_per_subject).toBe(true);
    expect(differencesOf(stream(streamNames.work), { config: echoed })).toEqual([
      {
        stream: 'MESH_WORK',
        setting: 'discard_new_per_subject',
        wanted: 'true',
        found: 'false',
        essential: true,
      },
    ]);
  });

  it('do not depend on the order of subjects', () => {
    const wanted = stream(streamNames.index);
    const config = { ...wanted, subjects: wanted.subjects.toReversed() };
    expect(differencesOf(wanted, { config })).toEqual([]);
  });

  it('are all of a stream that is not there', () => {
    const wanted = stream(streamNames.journal);
    expect(differencesOf(wanted, undefined).map(({ setting }) => setting)).toContain('subjects');
  });

  it('are essential only in settings that a stream is made with', () => {
    const made = new Set(streams.flatMap((one) => Object.keys(one)));
    expect([...essentialSettings].filter((setting) => !made.has(setting))).toEqual([]);
  });
});

describe('the fault of a topology', () => {
  const report = (essential: boolean) => ({
    version: '2.15.1',
    created: [],
    replicas: 1,
    differences: [
      { stream: 'MESH_JOURNAL', setting: 'max_age', wanted: '0', found: '5', essential },
      { stream: 'MESH_WORK', setting: 'max_msgs', wanted: '-1', found: '7', essential: false },
    ],
  });

  it('names what a promise rests on, and only that', () => {
    expect(topologyFault(report(true))).toMatchObject({
      kind: 'refused',
      detail: expect.stringMatching(/MESH_JOURNAL max_age is 5, wanted 0$/),
    });
  });

  it('is none where nothing does', () => {
    expect(topologyFault(report(false))).toBeUndefined();
  });
});
