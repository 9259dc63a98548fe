import { jobFileOf, jobOf, type Named, type TemplateFile } from './template.ts';

/** An agent whose model is a part that is written down, so that it runs without any key; and a job that is its task. */
export const agentTemplate = (name: Named): readonly TemplateFile[] => [
  {
    folder: 'agents',
    name: `${name.file}.yaml`,
    text: `name: ${name.yaml}
description: Says in one sentence what a text is about.
instructions: |
  You are given a text. Say in one sentence what it is about.
model: "scripted/${name.text}" # its part stands in the folder of scripts; any other model is named here in the same way
tools: [] # names from \`foldmesh catalogue\`: files.read, person.ask …
answer:
  type: object
  properties: { summary: { type: string } }
  required: [summary]
  additionalProperties: false
`,
  },
  {
    folder: 'scripts',
    name: `${name.file}.yaml`,
    text: `# What the model says, turn by turn: one thing, or several of which the first that fits is said.
name: ${name.yaml}
turns:
  - calls: [{ name: answer, input: { summary: "A text that says: \${input.text}" } }]
`,
  },
  jobOf(name, 'agent', 'text', 'one two three'),
];

/** A pipeline, and a job that runs it. */
export const pipelineTemplate = (name: Named): readonly TemplateFile[] => [
  {
    folder: 'pipelines',
    name: `${name.file}.yaml`,
    text: `name: ${name.yaml}
description: Says what a folder holds.
inputs: [folder]
templates: { summary: "In \${folder} there are: \${names}" }
steps:
  - { kind: tool_call, ref: files.list, input_mapping: { path: folder }, output_keys: [entries] }
  - { kind: render, ref: summary, input_mapping: { folder: folder, names: entries }, output_keys: [text] }
output_keys: [text]
`,
  },
  jobOf(name, 'pipeline', 'folder', '"."'),
];

/** A job of built-in skills: two tasks side by side, and one that merges them. */
export const jobTemplate = (name: Named): readonly TemplateFile[] => [
  {
    folder: undefined,
    name: jobFileOf(name),
    text: `# foldmesh run ${jobFileOf(name)}
name: ${name.yaml}
goal: What this job is for, in words; agents are told.
inputs: { words: [one, two, three] }
plan:
  tasks:
    - { id: first, skill: debug.echo, input: { said: "\${inputs.words}" } }
    - { id: each, skill: debug.echo, for_each: "\${inputs.words}", input: { word: "\${item}" } }
    - id: merge # what it looks up it waits for
      skill: debug.echo
      input: { first: "\${tasks.first.output.said}", each: "\${tasks.each.output}" }
  result: "\${tasks.merge.output}"
`,
  },
];
