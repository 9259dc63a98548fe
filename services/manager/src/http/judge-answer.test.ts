import { describe, expect, it } from 'vitest';
import { judgeAnswer } from './judge-answer.ts';

describe('judging an answer', () => {
  it('names all that is wrong with it, and where', () => {
    const schema = { type: 'object', properties: { 'a/b': { type: 'integer' } }, required: ['c'] };
    expect(judgeAnswer({ 'a/b': 'x' }, schema)).toEqual({
      problems: [
        { path: ['value'], message: "must have required property 'c'" },
        { path: ['value', 'a/b'], message: 'must be integer' },
      ],
    });
    expect(judgeAnswer({ 'a/b': 1, c: 2 }, schema)).toEqual({ problems: [] });
    expect(judgeAnswer('anything', undefined)).toEqual({ problems: [] });
  });

  it('says of a schema that none can use why', () => {
    for (const schema of [{ type: 'nothing' }, { $ref: '#/nowhere' }, { $ref: 'http://elsewhere.example/x' }])
      expect(judgeAnswer(1, schema)).toEqual({ unusable: expect.stringMatching(/./) });
  });

  it('is done when it has an answer: a schema makes no promise of it', () => {
    const schema = { $async: true, type: 'string' };
    expect(judgeAnswer(1, schema)).toEqual({ problems: [{ path: ['value'], message: 'must be string' }] });
    expect(judgeAnswer('x', schema)).toEqual({ problems: [] });
  });

  it('is given up in time where a pattern would try for ever', () => {
    const schema = { type: 'string', pattern: '^(a+)+$' };
    expect(judgeAnswer(`${'a'.repeat(60)}!`, schema)).toEqual({
      unusable: expect.stringContaining('timed out'),
    });
  });
});
