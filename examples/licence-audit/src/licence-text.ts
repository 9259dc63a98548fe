/**
 * A licence known by phrases of its text: all of them must be there, none of the excluded. Where a licence names others
 * in its own text, as the MPL does, the title at the head is what counts.
 */
interface Mark {
  readonly id: string;
  readonly all: readonly RegExp[];
  readonly none?: readonly RegExp[];
  readonly head?: true;
}

/** Ids are SPDX. */
const marks: readonly Mark[] = [
  { id: 'AGPL-3.0', head: true, all: [/gnu affero general public license/, /version 3/] },
  { id: 'LGPL-3.0', head: true, all: [/gnu lesser general public license/, /version 3/] },
  { id: 'LGPL-2.1', head: true, all: [/gnu lesser general public license/, /version 2\.1/] },
  { id: 'GPL-3.0', head: true, all: [/gnu general public license/, /version 3/] },
  { id: 'GPL-2.0', head: true, all: [/gnu general public license/, /version 2/] },
  { id: 'MPL-2.0', head: true, all: [/mozilla public license/, /version 2\.0/] },
  { id: 'EPL-2.0', head: true, all: [/eclipse public license/, /2\.0/] },
  { id: 'BlueOak-1.0.0', all: [/blue oak model license/] },
  { id: 'CC0-1.0', all: [/cc0 1\.0 universal/] },
  { id: 'CC-BY-4.0', all: [/creative commons attribution 4\.0/] },
  { id: 'Unlicense', all: [/this is free and unencumbered software released into the public domain/] },
  { id: 'Python-2.0', all: [/python software foundation license/] },
  { id: 'Apache-2.0', head: true, all: [/apache license/, /version 2\.0/] },
  {
    id: 'BSD-3-Clause',
    all: [/redistributions? (of source code|in binary form)/, /neither the name|may not be used to endorse/],
  },
  {
    id: 'BSD-2-Clause',
    all: [/redistributions? (of source code|in binary form)/],
    none: [/neither the name|may not be used to endorse/],
  },
  {
    id: '0BSD',
    all: [/permission to use, copy, modify,? and\/or distribute/],
    none: [/provided that the above/],
  },
  {
    id: 'ISC',
    all: [/permission to use, copy, modify,? and\/?(or)? ?distribute/, /provided that the above/],
  },
  { id: 'MIT', all: [/permission is hereby granted, free of charge/] },
];

const headLength = 300;

/** The SPDX ids of the licences in a text, as far as its wording tells: none for one it does not know, several for a collection. */
export const detectLicences = (text: string): readonly string[] => {
  const words = text.toLowerCase().replace(/\s+/g, ' ').trim();
  const head = words.slice(0, headLength);
  return marks
    .filter(({ all, none = [], head: atHead }) => {
      const where = atHead ? head : words;
      return all.every((mark) => mark.test(where)) && !none.some((mark) => mark.test(where));
    })
    .map(({ id }) => id);
};

/** A file that holds a licence by its name: `LICENSE`, `LICENCE.md`, `COPYING`, `license-MIT.txt` … */
export const isLicenceFile = (name: string): boolean =>
  /^(licen[cs]e|copying|unlicense)([._-].*)?$/i.test(name);
