import { jobOf, type Named, type TemplateFile } from './template.ts';

/** A skill, and a job that runs it. */
export const skillTemplate = (name: Named): readonly TemplateFile[] => [
  {
    folder: 'skills',
    name: `${name.file}.ts`,
    text: `import { defineSkill, z } from '@foldmesh/sdk';

/** What it does, in one sentence: the catalogue shows its description. */
export const ${name.identifier('skill')} = defineSkill({
  name: '${name.text}',
  description: 'Counts the words of a text.',
  input: z.strictObject({ text: z.string() }),
  output: z.strictObject({ words: z.number() }),
  // The outside is reached through the call alone: \`await call.tool('files.read', { path })\`. After a crash this runs
  // again from its top, and each call answers from its stored result: their order must follow from the input.
  run: async ({ text }) => ({ words: text.split(/\\s+/).filter((word) => word !== '').length }),
});
`,
  },
  jobOf(name, 'skill', 'text', 'one two three'),
];

/** A tool, and a job that calls it. */
export const toolTemplate = (name: Named): readonly TemplateFile[] => [
  {
    folder: 'tools',
    name: `${name.file}.ts`,
    text: `import { defineTool, fail, fault, ok, z } from '@foldmesh/sdk';

/** What it does, in one sentence: agents read the description. */
export const ${name.identifier('tool')} = defineTool({
  name: '${name.text}',
  description: 'Turns a text round.',
  // read: changes nothing. idempotent: twice is once. keyed: hands call.key on. unsafe: twice is twice, so never repeated.
  effect: 'read',
  input: z.strictObject({ text: z.string() }),
  output: z.strictObject({ text: z.string() }),
  // A failure is a value; with retry_after_ms it says that the same may succeed later.
  run: async ({ text }) =>
    text === '' ? fail(fault('invalid', 'there is no text')) : ok({ text: [...text].reverse().join('') }),
});
`,
  },
  jobOf(name, 'tool', 'text', 'drawer'),
];
