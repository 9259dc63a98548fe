import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sha256Hex } from '@foldmesh/envelope';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type BuiltIn, loadDefinitions } from './load-definitions.ts';

const execute = promisify(execFile);

/** Where a user's project would find `@foldmesh/sdk`. */
const modules = join(dirname(fileURLToPath(import.meta.url)), '../node_modules');

const builtIn: BuiltIn = {
  skills: [{ name: 'debug.echo', output: undefined }],
  tools: [
    {
      name: 'files.read',
      output: z.strictObject({ text: z.string(), bytes: z.int(), truncated: z.boolean() }),
    },
  ],
};

/** A project made of these files, and its folders. */
const project = async (files: Readonly<Record<string, string>>) => {
  const base = await mkdtemp(join(tmpdir(), 'foldmesh-definitions-'));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  await symlink(modules, join(base, 'node_modules'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(base, name)), { recursive: true });
    await writeFile(join(base, name), text);
  }
  const at = (name: string): string => join(base, name);
  return {
    skills: at('skills'),
    tools: at('tools'),
    pipelines: at('pipelines'),
    agents: at('agents'),
    policies: at('policies'),
  };
};

const load = async (files: Readonly<Record<string, string>>) =>
  loadDefinitions(await project(files), builtIn);

const problemsOf = async (files: Readonly<Record<string, string>>): Promise<readonly string[]> => {
  const loaded = await load(files);
  return 'problems' in loaded ? loaded.problems : [];
};

const skill = (name: string, more = ''): string =>
  `defineSkill({ name: '${name}', input: z.strictObject({}), ${more} run: async () => ({ ok: true }) })`;
const sdk = `import { defineSkill, defineTool, z } from '@foldmesh/sdk';\n`;

const audit = `${sdk}interface Found { readonly count: number }
export const audit = defineSkill({
  name: 'licence.audit',
  input: z.strictObject({ packages: z.array(z.string()) }),
  output: z.strictObject({ count: z.int() }),
  run: async ({ packages }): Promise<Found> => ({ count: packages.length }),
});
export const report = ${skill('licence.report')};
export const helper = 7;
`;

const pipeline = `name: licence.check
inputs: [path]
steps:
  - { kind: tool_call, ref: files.read, input_mapping: { path: path }, output_keys: [text, bytes] }
  - { kind: invoke, ref: licence.audit, input_mapping: { packages: text }, output_keys: [count] }
`;

describe('loadDefinitions', () => {
  it('loads what the files export, each with the digest of its file', async () => {
    const tool = `${sdk}export const ping = defineTool({ name: 'net.ping', effect: 'read', input: z.strictObject({}), run: async () => ({ ok: true, value: 1 }) });`;
    const plain = `export const plain = { kind: 'skill', name: 'plain', timeoutMs: 1, input: { safeParse: () => ({ success: true }) }, run: async () => 1 };`;
    const files = {
      'skills/audit.ts': audit,
      'skills/plain.mjs': plain,
      'skills/audit.test.ts': 'throw new Error("a test is no definition");',
      'skills/README.md': 'nor is this',
      'skills/deeper/more.ts': 'throw new Error("nor is this");',
      'tools/ping.ts': tool,
      'pipelines/check.yaml': pipeline,
      'pipelines/unnamed.json': '[{"kind": "invoke", "ref": "debug.echo", "output_keys": ["said"]}]',
    };
    const loaded = await load(files);
    if ('problems' in loaded) throw new Error(loaded.problems.join('\n'));
    expect(loaded.skills.map(({ name, file, digest }) => [name, file, digest])).toEqual([
      ['licence.audit', 'skills/audit.ts', sha256Hex(audit)],
      ['licence.report', 'skills/audit.ts', sha256Hex(audit)],
      ['plain', 'skills/plain.mjs', sha256Hex(plain)],
    ]);
    expect(loaded.tools.map(({ name, digest }) => [name, digest])).toEqual([['net.ping', sha256Hex(tool)]]);
    expect(
      loaded.pipelines.map(({ name, definition }) => [name, definition.name, definition.steps.length]),
    ).toEqual([
      ['licence.check', 'licence.check', 2],
      ['unnamed', 'unnamed', 1],
    ]);
    const run = loaded.skills[0]?.definition.run as unknown as (input: unknown) => Promise<unknown>;
    expect(await run({ packages: ['a', 'b'] })).toEqual({ count: 2 });
  });

  it('finds nothing in folders that are not there', async () => {
    expect(await load({})).toEqual({ skills: [], tools: [], pipelines: [], agents: [] });
  });

  it.each([
    [
      'throws',
      'throw new RangeError("out of\\nrange");',
      /^skills\/a\.mjs does not load: RangeError: out of$/,
    ],
    ['throws no error', 'throw 7;', /^skills\/a\.mjs does not load: 7$/],
    ['imports what is not there', 'import "./gone.mjs";', /^skills\/a\.mjs does not load: .*gone\.mjs/],
    [
      'imports a package that is not there',
      'import "no-such-package";',
      /^skills\/a\.mjs does not load: .*no-such-package/,
    ],
  ])('names a file that %s, and the cause in one line', async (_, text, problem) => {
    const problems = await problemsOf({ 'skills/a.mjs': text });
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems[0]).not.toContain('\n');
  });

  it('loads TypeScript as Node does, and says on which line a file does not parse', {
    timeout: 30_000,
  }, async () => {
    // In a process of its own: here the test runner would transform what is imported.
    const loadThere = async (files: Readonly<Record<string, string>>): Promise<unknown> => {
      const program = `
        import { loadDefinitions } from ${JSON.stringify(new URL('./load-definitions.ts', import.meta.url).href)};
        const loaded = await loadDefinitions(JSON.parse(process.argv[1]), { skills: [], tools: [] });
        console.log(JSON.stringify(loaded.problems ?? loaded.skills.map(({ name }) => name)));`;
      const folders = JSON.stringify(await project(files));
      const flags = ['-C', '@foldmesh/source', '--input-type=module', '-e', program, folders];
      return JSON.parse((await execute(process.execPath, flags)).stdout);
    };
    expect(await loadThere({ 'skills/audit.ts': audit })).toEqual(['licence.audit', 'licence.report']);
    expect(
      await loadThere({
        'skills/a.ts': '\n\nexport enum A { x }\n',
        'skills/b.ts': '\nimport "./a.ts";\n',
        'skills/c.mjs': 'const {;',
      }),
    ).toEqual([
      'skills/a.ts does not load: SyntaxError: TypeScript enum is not supported in strip-only mode (a.ts:3)',
      'skills/b.ts does not load: SyntaxError: TypeScript enum is not supported in strip-only mode (a.ts:3)',
      "skills/c.mjs does not load: SyntaxError: Unexpected token ';'",
    ]);
  });

  it('names a file that is a link to nothing', async () => {
    const base = await mkdtemp(join(tmpdir(), 'foldmesh-definitions-'));
    onTestFinished(() => rm(base, { recursive: true, force: true }));
    await symlink('gone.ts', join(base, 'a.ts'));
    const folders = {
      skills: base,
      tools: join(base, 'none'),
      pipelines: base,
      agents: join(base, 'none'),
      policies: join(base, 'none'),
    };
    expect(await loadDefinitions(folders, builtIn)).toEqual({
      problems: [expect.stringMatching(/\/a\.ts cannot be read \(ENOENT\)$/)],
    });
  });

  it('names both files of a name that stands twice, and what the product has already', async () => {
    const problems = await problemsOf({
      'skills/a.ts': `${sdk}export const one = ${skill('same')};`,
      'skills/b.ts': `${sdk}export const two = ${skill('same')}; export const echo = ${skill('debug.echo')};`,
      'pipelines/a.yaml': '{ name: p, steps: [{ kind: invoke, ref: same, output_keys: [x] }] }',
      'pipelines/b.yaml': '{ name: p, steps: [{ kind: invoke, ref: same, output_keys: [x] }] }',
    });
    expect(problems).toEqual([
      'skills/b.ts: the skill same is also defined by skills/a.ts',
      'skills/b.ts: the skill debug.echo is also defined by foldmesh itself',
      'pipelines/b.yaml: the pipeline p is also defined by pipelines/a.yaml',
    ]);
  });

  it.each([
    [
      'export default',
      `export default ${skill('a')};`,
      /^skills\/a\.ts: the skill a: a default export; export it by name$/,
    ],
    [
      'a bad name',
      `export const a = ${skill('no spaces')};`,
      /^skills\/a\.ts: the skill no spaces: a name is words/,
    ],
    [
      'a bad pool',
      `export const a = ${skill('a', `pool: 'a.b',`)};`,
      /^skills\/a\.ts does not load: Error: the skill a: a pool of its own is not supported yet/,
    ],
    [
      'no schema',
      `export const a = { kind: 'skill', name: 'a', run: async () => 1, timeoutMs: 1 };`,
      /input is no zod schema/,
    ],
    ['no run', `export const a = { kind: 'skill', name: 'a', input: z.any() };`, /run is no function/],
    [
      'no time',
      `export const a = { kind: 'skill', name: 'a', input: z.any(), run: async () => 1 };`,
      /timeoutMs is no number/,
    ],
  ])('refuses %s', async (_, text, problem) => {
    expect(await problemsOf({ 'skills/a.ts': sdk + text })).toEqual([expect.stringMatching(problem)]);
  });

  it('refuses a tool whose effect is none of the four', async () => {
    const text = `${sdk}export const a = defineTool({ name: 'a', effect: 'harmless', input: z.any(), run: async () => ({ ok: true, value: 1 }) });`;
    expect(await problemsOf({ 'tools/a.ts': text })).toEqual([
      'tools/a.ts: the tool a: effect must be one of read, idempotent, keyed, unsafe',
    ]);
  });

  it('names every offender of every pipeline at once, with file and step', async () => {
    const problems = await problemsOf({
      'pipelines/a.yaml': `steps:
  - { kind: invoke, ref: nobody, output_keys: [a] }
  - { kind: tool_call, ref: files.read, input_mapping: { path: nowhere }, output_keys: [text, size] }
`,
      'pipelines/b.yaml': 'steps:\n  - { kind: jump, ref: x, output_keys: [a] }\n',
      'pipelines/c.yaml': 'steps: [\n',
      'pipelines/not a name.yaml': '{ steps: [{ kind: invoke, ref: debug.echo, output_keys: [x] }] }',
    });
    expect(problems).toEqual([
      'pipelines/a.yaml: step 1: ref: there is no skill nobody',
      'pipelines/a.yaml: step 2: input_mapping: nothing before it makes nowhere',
      'pipelines/a.yaml: step 2: output_keys: files.read gives no size, it gives text, bytes, truncated',
      expect.stringMatching(/^pipelines\/b\.yaml: steps\.0\.kind: /),
      expect.stringMatching(/^pipelines\/c\.yaml:\d+:\d+: /),
      expect.stringMatching(/^pipelines\/not a name\.yaml: give it a name: /),
    ]);
  });

  it('says of an agent which field may have been meant, and that it has to be told something', async () => {
    const text = (more: string) => `name: a\ninstructions: Go.\nmodel: m\n${more}`;
    const written = `import { defineAgent } from '@foldmesh/sdk';
export const b = defineAgent({ name: 'b', instructions: '\\n', model: 'm' });`;
    expect(
      await problemsOf({
        'agents/a.yaml': text('tool: []\nlimits: { turn: 3 }\n'),
        'agents/blank.yaml': 'name: blank\nmodel: m\ninstructions: |\n\n   \n',
        'agents/spaces.yaml': 'name: spaces\nmodel: m\ninstructions: "  "\n',
        'agents/written.ts': written,
        'agents/plain.js': `export const c = { kind: 'agent', name: 'c', agent: { name: 'c', instructions: 'x', modle: 'm' } };`,
      }),
    ).toEqual([
      'agents/a.yaml:5: limits.turn: unknown field turn; did you mean turns?',
      'agents/a.yaml:4: tool: unknown field tool; did you mean tools?',
      'agents/blank.yaml:3: instructions: they are blank: say what the agent is to do',
      'agents/spaces.yaml:3: instructions: they are blank: say what the agent is to do',
      'agents/plain.js: the agent c: model: Invalid input: expected string, received undefined; modle: unknown field modle; did you mean model?',
      'agents/written.ts does not load: Error: the agent b: instructions: they are blank: say what the agent is to do',
    ]);
  });

  it('refuses by name what an agent cannot be, and what it cannot do yet', async () => {
    expect(
      await problemsOf({ 'agents/coder.yaml': 'x: 1', 'policies/net.yml': 'x: 1', 'agents/README.md': '' }),
    ).toEqual([
      'agents/coder.yaml: name: Invalid input: expected string, received undefined',
      'agents/coder.yaml: instructions: Invalid input: expected string, received undefined',
      'agents/coder.yaml: model: Invalid input: expected string, received undefined',
      'agents/coder.yaml:1: x: unknown field x',
      'policies/net.yml: policies are not supported yet',
    ]);
  });
});
