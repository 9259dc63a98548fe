/** A file to begin with; `folder` is the setting that names its folder, and none lies beside the configuration. */
export interface TemplateFile {
  readonly folder: FolderSetting | undefined;
  readonly name: string;
  readonly text: string;
}

export type FolderSetting = 'skills' | 'tools' | 'agents' | 'scripts' | 'pipelines';

/** How a name is written where it is used. */
export interface Named {
  /** As YAML reads it: what would be a number or a yes is put in quotes. */
  readonly yaml: string;
  /** Inside a string of TypeScript. */
  readonly text: string;
  /** As a file: without dots. */
  readonly file: string;
  /** As an identifier, with the kind behind it: no name is a reserved word then. */
  readonly identifier: (kind: string) => string;
}

export const named = (name: string): Named => ({
  yaml: /^(true|false|null|yes|no|on|off|y|n)$/i.test(name) || /^[\d_-]/.test(name) ? `"${name}"` : name,
  text: name,
  file: name.replaceAll('.', '-'),
  identifier: (kind) => {
    const words = `${name}.${kind}`.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
    const [first = '', ...more] = words;
    const joined = first + more.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join('');
    return /^\d/.test(joined) ? `_${joined}` : joined;
  },
});

/** The file of a job, which lies beside the configuration that names what it uses. */
export const jobFileOf = ({ file }: Named): string => `${file}.job.yaml`;

/** A job of one task that runs what was written. */
export const jobOf = (name: Named, kind: string, input: string, value: string): TemplateFile => ({
  folder: undefined,
  name: jobFileOf(name),
  text: `# foldmesh run ${jobFileOf(name)}
name: ${name.yaml}
inputs: { ${input}: ${value} }
plan:
  tasks:
    - { id: first, ${kind}: ${name.yaml}, input: { ${input}: "\${inputs.${input}}" } }
  result: "\${tasks.first.output}"
`,
});
