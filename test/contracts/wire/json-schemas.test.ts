import { readdirSync, readFileSync } from 'node:fs';
import { type Fixture, goldenMessages } from '@foldmesh/envelope/internal';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import {
  entryPath,
  envelopePath,
  eventPath,
  headersPath,
  jsonSchemas,
  letterPath,
  wireTypes,
} from './json-schemas.ts';

type Fields = Readonly<Record<string, unknown>>;

const textIn = (path: string): string => readFileSync(path, 'utf8');
const jsonIn = (path: string): unknown => JSON.parse(textIn(path));
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => `${folder}/${file}`);

/** Every schema as it is published; one that ajv cannot read or finds odd does not compile. */
const validators = new Map(
  [...jsonSchemas().keys()].map((path): [string, ValidateFunction] => [
    path,
    // Formats are told by patterns, too; what a schema lists as required in one of two ways needs no type beside it.
    new Ajv2020({ strict: true, strictRequired: false, validateFormats: false, allErrors: true }).compile(
      jsonIn(path) as object, // a schema is one
    ),
  ]),
);

const complaints = (path: string, value: unknown): unknown => {
  const validate = validators.get(path);
  if (validate === undefined) throw new Error(`no schema ${path}`);
  return validate(value) ? [] : validate.errors;
};

const messages = filesIn('packages/envelope/fixtures/v1').map((file) => {
  const { headers, body } = jsonIn(file) as Fixture; // as the envelope's own test has read it
  const fields = JSON.parse(body) as Fields & { readonly type: (typeof wireTypes)[number] }; // and this
  return { file, headers, body: fields, schema: envelopePath(fields.type) };
});

const turnsIn = (file: string): readonly Fields[] =>
  (jsonIn(file) as { readonly turns: Fields[][] }).turns.flat(); // as the owner's test has read it
const events = (['job', 'run'] as const).flatMap((of) =>
  filesIn(`packages/${of}/fixtures/v1`).flatMap((file) =>
    turnsIn(file).map((event) => ({ event, schema: eventPath(of) })),
  ),
);

const entries = ['job', 'run'].flatMap((of) =>
  filesIn(`packages/${of}/fixtures/v1/journals`).flatMap(
    (file) => (jsonIn(file) as { readonly entries: Fields[] }).entries, // as the owner's test has read it
  ),
);

/** Each way of leaving one field out, one more in, and one of another kind. */
const mutants = (value: Fields, required: readonly string[]): readonly Fields[] => [
  ...required.map((name) => Object.fromEntries(Object.entries(value).filter(([field]) => field !== name))),
  ...Object.keys(value)
    .filter((name) => name !== 'state')
    .map((name) => ({ ...value, [name]: { wrong: true } })),
];

describe('published schemas', () => {
  it.each([...jsonSchemas()])('%s is what the code says: else run `pnpm wire publish`', (path, schema) => {
    expect(textIn(path)).toBe(`${JSON.stringify(schema, null, 2)}\n`);
  });

  it('are those of today and no others', () => {
    const found = ['envelope', 'job', 'run'].flatMap((of) => filesIn(`packages/${of}/schemas/v1`));
    expect(found.toSorted()).toEqual([...jsonSchemas().keys()].toSorted());
    expect(wireTypes.length).toBeGreaterThan(10);
  });
});

describe('golden fixtures under the published schemas', () => {
  it('messages are valid, headers and body', () => {
    expect(messages.length).toBeGreaterThanOrEqual(goldenMessages().length);
    for (const { file, headers, body, schema } of messages) {
      expect(complaints(schema, body), file).toEqual([]);
      expect(complaints(headersPath, headers), file).toEqual([]);
    }
  });

  it('messages with a field too few, too many or wrong are not', () => {
    const needed = ['id', 'type', 'v', 'sender', 'receiver', 'trace_id', 'idempotency_key', 'created_at'];
    for (const { body, headers, schema } of messages) {
      const wanted = [...needed, body['payload'] === undefined ? 'payload_ref' : 'payload'];
      for (const mutant of [...mutants(body, wanted), { ...body, extra: 1 }, { ...body, v: 99 }])
        expect(complaints(schema, mutant), JSON.stringify(mutant)).not.toEqual([]);
      const both = {
        ...body,
        payload: body['payload'] ?? {},
        payload_ref: { digest: 'a'.repeat(64), bytes: 1 },
      };
      expect(complaints(schema, both), JSON.stringify(both)).not.toEqual([]);
      const optional = ['Mesh-Deadline', 'Mesh-From', 'Mesh-Reply', 'traceparent'];
      const required = Object.keys(headers).filter((name) => !optional.includes(name));
      for (const mutant of mutants(headers, required))
        expect(complaints(headersPath, mutant), JSON.stringify(mutant)).not.toEqual([]);
    }
  });

  it('a request without a deadline is none', () => {
    const requests = messages.filter(({ body }) => body['deadline'] !== undefined);
    expect(requests.length).toBeGreaterThan(5);
    for (const { body, schema } of requests) {
      const { deadline: _, ...rest } = body;
      expect(complaints(schema, rest)).not.toEqual([]);
    }
  });

  it('events are valid, and mutated ones are not', () => {
    expect(events.length).toBeGreaterThan(50);
    for (const { event, schema } of events) {
      expect(complaints(schema, event), JSON.stringify(event)).toEqual([]);
      for (const mutant of [...mutants(event, ['kind', 'v']), { ...event, extra: 1 }, { ...event, v: 99 }])
        if (!anything.some((name) => isWrong(mutant, name)))
          expect(complaints(schema, mutant), JSON.stringify(mutant)).not.toEqual([]);
    }
  });

  it('entries are valid, and mutated ones are not', () => {
    expect(entries.length).toBeGreaterThan(10);
    for (const entry of entries) {
      expect(complaints(entryPath, entry)).toEqual([]);
      for (const mutant of [
        ...mutants(entry, ['v', 'causes', 'at', 'first', 'tail_bytes']),
        { ...entry, more: 1 },
      ])
        expect(complaints(entryPath, mutant), Object.keys(mutant).join()).not.toEqual([]);
    }
  });

  it('dead letters are valid, and one without a reason is not', () => {
    const letters = filesIn('packages/envelope/fixtures/v1/stored').filter(
      (file) => !file.includes('elsewhere'),
    );
    expect(letters.length).toBeGreaterThan(1);
    for (const file of letters) {
      const letter = jsonIn(file) as Fields; // a letter is an object
      expect(complaints(letterPath, letter), file).toEqual([]);
      for (const mutant of mutants(letter, ['id', 'subject', 'headers', 'body', 'reason', 'strikes']).slice(
        0,
        6,
      ))
        expect(complaints(letterPath, mutant), file).not.toEqual([]);
    }
  });
});

/** Fields of events that hold whatever somebody said. */
const anything = ['value', 'schema', 'reasoning'];
const isWrong = (fields: Fields, name: string): boolean =>
  JSON.stringify(fields[name]) === JSON.stringify({ wrong: true });
