import { describe, expect, it } from 'vitest';
import { renderPipelineText, templateKeys } from './pipeline-text.ts';

describe('templateKeys', () => {
  it('names each top-level key once, in the order of the text', () => {
    expect(templateKeys('${b} ${ a.x.0 } $a ${b.y} {c} $${d}')).toEqual({ keys: ['b', 'a'] });
    expect(templateKeys('nothing to replace')).toEqual({ keys: [] });
  });

  it('says what is wrong with a placeholder that names no key', () => {
    for (const wrong of ['${}', '${1}', '${a b}', '${a..b}'])
      expect(templateKeys(wrong)).toHaveProperty('wrong');
    expect(templateKeys('${a')).toEqual({ wrong: 'the lookup ${a is not closed' });
  });
});

describe('renderPipelineText', () => {
  const values = { name: 'Ada', doc: { title: 'Notes', tags: ['x', 'y'], n: 0 }, none: null };

  it.each([
    ['Dear ${name},', 'Dear Ada,'],
    ['${name}${name}', 'AdaAda'],
    ['${doc.title} ${doc.tags.1} ${doc.n}', 'Notes y 0'],
    ['${doc.tags} ${none}', '["x","y"] null'],
    ['${doc}', '{"title":"Notes","tags":["x","y"],"n":0}'],
    ['costs $5 {and} $${name} ${ name }', 'costs $5 {and} ${name} Ada'],
  ])('%s is %s', (template, text) => {
    expect(renderPipelineText(template, values)).toEqual({ ok: true, value: text });
  });

  it('puts what it found into the text once: no value is a template', () => {
    expect(renderPipelineText('${a}', { a: '${b} $& $1', b: 'no' })).toEqual({
      ok: true,
      value: '${b} $& $1',
    });
  });

  it('says everything that is missing, and what there is instead', () => {
    expect(renderPipelineText('${nme} and ${doc.titel} and ${doc.tags.9}', values)).toMatchObject({
      ok: false,
      fault: {
        kind: 'invalid',
        detail:
          'no nme; the keys there are name, doc, none; no doc.titel; the keys there are title, tags, n; ' +
          'no doc.tags.9; there is a list of 2',
      },
    });
  });

  it('finds nothing that a value has not of its own', () => {
    for (const text of ['${toString}', '${doc.constructor}', '${__proto__}'])
      expect(renderPipelineText(text, values).ok).toBe(false);
  });
});
