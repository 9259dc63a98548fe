import type { Rule } from './rule.ts';
import { isCode } from './tree.ts';

const promise = /\b(TODO|FIXME|XXX|HACK)\b(?!\([a-z][\w-]*\):)/;
const banner = /^\W*([-=*#~/])\1{4,}/;

/** Comments are sentences: what is left to do names who does it, and nothing is fenced with banners. */
export const comments: Rule = {
  name: 'comments',
  unit: 'comments',
  lookedMin: 20,
  check: (tree) => {
    let looked = 0;
    const findings = tree.paths.filter(isCode).flatMap((path) => {
      const { comments: all, lineOf } = tree.module(path);
      looked += all.length;
      return all.flatMap(({ value, start }) => {
        const wrong = faultOf(value);
        return wrong === undefined ? [] : [{ path, line: lineOf(start), wrong }];
      });
    });
    return { looked, findings };
  },
};

const faultOf = (text: string): string | undefined => {
  const word = promise.exec(text)?.[1];
  if (word !== undefined) return `${word} without an owner; write ${word}(name): or do it now`;
  return banner.test(text) ? 'a banner; let the order of the file speak, or split it' : undefined;
};
