import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testVectors, Vectors, vectorsPath } from './test-vectors.ts';

const text = readFileSync(vectorsPath, 'utf8');
const { messages, canonical } = Vectors.parse(JSON.parse(text));

// Written from docs/wire.md, with nothing of the mesh's own code: what somebody would write in another language.

const sha256 = (of: string): string => createHash('sha256').update(of, 'utf8').digest('hex');

/** Names in the order of their UTF-16 code units, no space, numbers and texts as JSON writes them at their shortest. */
const canonicalText = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const named = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${named.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalText(inner)}`).join(',')}}`;
};

describe('test vectors', () => {
  it('are what the code says: else run `pnpm wire publish`', () => {
    expect(text).toBe(`${JSON.stringify(testVectors(), null, 2)}\n`);
    expect(messages.length).toBeGreaterThan(30);
  });

  it.each(messages)('$name follows from the words of docs/wire.md alone', (message) => {
    const { type, key, attempt, epoch, to, lane, payload, carries } = message;
    const [tenant, job, task, round, step, call] = key.split('/');
    const shard = String(Number.parseInt(sha256(job ?? '').slice(0, 1), 16));
    const position = `${type.replace('.', '-')}.${task}.${round}.${step}.${call}.${attempt}`;
    const fields = Object.entries(Object(payload)).filter(([name]) => !carries.includes(name));
    const asked = canonicalText({ type, payload: Object.fromEntries(fields) });
    expect(message).toMatchObject({
      shard,
      subject:
        lane === 'submit'
          ? `mesh.v1.${tenant}.submit.${shard}.${job}`
          : `mesh.v1.${tenant}.work.${to.service}.${to.pool}.${lane}.${job}.${position}`,
      wire_id: sha256(`${type}\n${key}\n${attempt}\n${epoch}`).slice(0, 32),
      canonical: asked,
      fingerprint: sha256(asked),
    });
  });

  it.each(canonical)(
    '$canonical is written as RFC 8785 says',
    ({ value, canonical: expected, sha256: digest }) => {
      expect([canonicalText(value), sha256(expected)]).toEqual([expected, digest]);
    },
  );
});
