import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogue, isType, kindOf, type Type } from './catalogue.ts';
import { decodeJson } from './codec.ts';
import type { Envelope } from './envelope.ts';
import { fingerprint } from './fingerprint.ts';
import { readHeaders, writeHeaders } from './headers.ts';
import { invariant } from './invariant.ts';
import { openOuter, openPayload } from './open.ts';
import { queueOf } from './subject.ts';
import { type Fixture, goldenMessages, goldenPath } from './testing/golden-messages.ts';

const folder = new URL('../fixtures/', import.meta.url);
/** `v1/tool.settle-paused.json` is a message of the type `tool.settle`; what lies deeper is no message. */
const named = /^v\d+\/([a-z]+\.[a-z]+)(?:-[a-z]+)?\.json$/;
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => named.test(file));

const fixtureIn = (file: string): Fixture =>
  JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Fixture; // written below

const opened = (fixture: Fixture): Envelope => {
  const headers = readHeaders(fixture.headers);
  invariant(headers.ok, headers.ok ? '' : headers.fault.detail);
  expect(writeHeaders(headers.value)).toEqual(fixture.headers);
  const encoder = new TextEncoder();
  const outer = openOuter(headers.value, encoder.encode(fixture.body));
  invariant(outer.ok, outer.ok ? '' : outer.fault.detail);
  const claimed = fixture.claim === undefined ? undefined : decodeJson(encoder.encode(fixture.claim));
  const envelope = openPayload(headers.value, outer.value, claimed?.ok ? claimed.value : undefined);
  invariant(envelope.ok, envelope.ok ? '' : envelope.fault.detail);
  return envelope.value;
};

describe('golden fixtures', () => {
  it('are there for each type in the version that we write', () => {
    const types = Object.keys(catalogue) as Type[]; // its keys, by definition of the type
    const wanted = types.map((type) => `v${kindOf(type).v}/${type}.json`);
    expect(wanted.filter((file) => !files.includes(file))).toEqual([]);
  });

  it('are there for each kind of result, in every type that has one', () => {
    const kinds = files.flatMap((file) => {
      const envelope = opened(fixtureIn(file));
      if (envelope.type === 'tool.settle' || envelope.type === 'memory.settle')
        return [`${envelope.type} ${envelope.payload.outcome.kind}`];
      if (envelope.type === 'model.settle') return [`${envelope.type} ${envelope.payload.kind}`];
      return envelope.type === 'task.settle'
        ? envelope.payload.results.map(({ outcome }) => `${envelope.type} ${outcome.kind}`)
        : [];
    });
    const ends = ['cancelled', 'done', 'failed', 'paused', 'unknown'];
    const wanted = [
      ...['memory.settle', 'task.settle', 'tool.settle'].flatMap((type) =>
        ends.map((end) => `${type} ${end}`),
      ),
      ...['cancelled', 'done', 'failed'].map((end) => `model.settle ${end}`),
    ];
    expect([...new Set(kinds)].toSorted()).toEqual(wanted.toSorted());
  });

  it.each(files)('%s decodes, and will for ever', (file) => {
    const fixture = fixtureIn(file);
    const envelope = opened(fixture);
    const [, type = ''] = named.exec(file) ?? [];
    expect(envelope).toMatchObject({ type, id: fixture.headers['Nats-Msg-Id'] });
    expect(queueOf(fixture.subject)?.job).toBe('j-7f3d');
    invariant(isType(type), `the file ${file} is named after a type`);
    if (envelope.v === kindOf(type).v)
      expect(fingerprint(type, envelope.payload)).toBe(fixture.headers['Mesh-Print']);
  });
});

describe('what is written today', () => {
  // A fixture that is not there yet is written by this test, and frozen by `pnpm wire freeze`. One that is there stays.
  it.each(goldenMessages().map((golden) => [golden.name, golden] as const))(
    '%s is the golden fixture, byte for byte',
    async (_, golden) => {
      const text = `${JSON.stringify(golden.fixture, null, 2)}\n`;
      await expect(text).toMatchFileSnapshot(`../fixtures/${goldenPath(golden)}`);
    },
  );
});
