import { parseSpec } from '@foldmesh/job';
import { describe, expect, it } from 'vitest';
import { problemText, yamlText } from './yaml-text.ts';

const yaml = `name: audit
inputs: { root: "." }
plan:
  tasks:
    - id: list
      tool: files.list
    - id: audit
      skil: licence.audit

      depends_on: [list]
`;
const json = `{
  "name": "audit",
  "inputs": { "root": "." },
  "plan": { "tasks": [
    { "id": "list", "tool": "files.list" },
    { "id": "audit",
      "skil": "licence.audit",
      "depends_on": ["list"] }
  ] }
}`;

const parsed = (text: string) => {
  const read = yamlText(text, 'job.yaml');
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  return read;
};

describe('yamlText', () => {
  it('reads the same value from YAML and from JSON', () => {
    expect(parsed(yaml).value).toEqual(parsed(json).value);
    expect(parsed(json).value).toEqual(JSON.parse(json));
  });

  it.each([
    ['YAML', yaml, [1, 3, 4, 5, 6, 8, 8, 10, 10]],
    ['JSON', json, [2, 4, 4, 5, 5, 7, 7, 8, 8]],
  ])('knows in %s the line of a name, and of the closest thing where there is none', (_, text, lines) => {
    const { lineOf } = parsed(text);
    const paths = [
      ['name'],
      ['plan'],
      ['plan', 'tasks'],
      ['plan', 'tasks', 0],
      ['plan', 'tasks', 0, 'tool'],
      ['plan', 'tasks', 1, 'skil'],
      ['plan', 'tasks', '1', 'skil'],
      ['plan', 'tasks', 1, 'depends_on', 0],
      ['plan', 'tasks', 1, 'depends_on', 0, 'task'],
    ];
    expect(paths.map(lineOf)).toEqual(lines);
    expect(lineOf(['plan', 'tasks', 7])).toBe(lineOf(['plan', 'tasks']));
    expect(lineOf(['budget', 'tokens'])).toBeUndefined();
    expect(lineOf([])).toBeUndefined();
  });

  it('says everything that is wrong with the form, each in one line with its place', () => {
    expect(yamlText('a: 1\na: 2\nb: .inf\n', 'job.yaml')).toEqual({
      problems: [
        'job.yaml:2:1: the name "a" stands twice',
        'job.yaml:3:4: Infinity is no value that JSON has',
      ],
    });
    const broken = yamlText('plan:\n  tasks: [a\nname: x: y\n', 'job.yaml');
    if (!('problems' in broken)) throw new Error('it parsed');
    for (const problem of broken.problems) expect(problem).toMatch(/^job\.yaml:\d+:\d+: [^\n]+$/);
  });

  it('says of JSON what YAML would say', () => {
    expect(yamlText('{"a": 1,\n "a": 2}', 'job.json')).toEqual({
      problems: ['job.json:2:2: the name "a" stands twice'],
    });
    const broken = yamlText('{\n  "a": 1\n  "b": 2\n}', 'job.json');
    if (!('problems' in broken)) throw new Error('it parsed');
    expect(broken.problems).toEqual([expect.stringMatching(/^job\.json:3:3: SyntaxError: Expected ','/)]);
    expect(yamlText(`${'['.repeat(100)}${']'.repeat(100)}`, 'job.json')).toEqual({
      problems: ['job.json:1:65: nested deeper than 64'],
    });
  });

  it('says where a value stands that no message can carry, in JSON as in YAML', () => {
    for (const [text, said] of [
      ['{\n"a": ["\\ud83d"]}', 'f:2: a.0: half a character'],
      ['a:\n  - "\\ud83d"\n', 'f:2: a.0: half a character'],
      ['{"a":\n1e999}', 'f:1: a: a number that is too large'],
    ] as const)
      expect([text, yamlText(text, 'f')]).toEqual([text, { problems: [said] }]);
  });

  it('reads what is larger than YAML may be as JSON alone, and says what is wrong with that', () => {
    const few = { yamlBytesMax: 8 };
    expect(yamlText('{"a": [1, 2]}', 'f', few)).toMatchObject({ value: { a: [1, 2] } });
    expect(yamlText('{ a: 1 }', 'f', few)).toMatchObject({ value: { a: 1 } });
    for (const text of ['{ a: [1, 2] }', 'a: [1, 2]', '{"a": [1, 2]', '{"a": [1 2]}'])
      expect([text, yamlText(text, 'f', few)]).toEqual([
        text,
        { problems: [expect.stringMatching(/^f:1:\d+: \S/)] },
      ]);
  });

  it('stops telling before nobody reads on', () => {
    const read = yamlText(Array.from({ length: 50 }, () => 'a: 1').join('\n'), 'f');
    if (!('problems' in read)) throw new Error('it parsed');
    expect(read.problems).toHaveLength(21);
    expect(read.problems.at(-1)).toBe('f: and 29 more');
  });
});

describe('problemText', () => {
  it('names an unknown field and its own line', () => {
    const read = parsed(yaml);
    const checked = parseSpec(read.value);
    if (!('problems' in checked)) throw new Error('it was accepted');
    expect(checked.problems.map((problem) => problemText('job.yaml', read, problem))).toContain(
      'job.yaml:8: plan.tasks.1.skil: unknown field skil; did you mean skill?',
    );
  });

  it('does without a line, and without a path', () => {
    expect(problemText('job.yaml', parsed(yaml), { path: [], message: 'is too large' })).toBe(
      'job.yaml: is too large',
    );
    expect(problemText('job.yaml', parsed(yaml), { path: ['goal'], message: 'is missing' })).toBe(
      'job.yaml: goal: is missing',
    );
  });
});

describe('a plan of 10,000 tasks', () => {
  const lines = ['name: big', 'plan:', '  tasks:'];
  for (let task = 0; task < 10_000; task += 1) {
    lines.push(
      `    - id: t${task}`,
      '      skill: debug.echo',
      `      depends_on: [t${Math.max(0, task - 1)}]`,
    );
  }
  const big = lines.join('\n');

  /** The better of two, in milliseconds of this process's own time: the machine has other work. */
  const costMs = (work: () => void): number => {
    const costs = [1, 2].map(() => {
      const before = process.cpuUsage();
      work();
      return process.cpuUsage(before).user / 1_000;
    });
    return Math.min(...costs);
  };

  it('is read as YAML in some seconds at most, lines included: it took 0.5 to 1.5 s, and would take minutes if it were not linear', {
    timeout: 30_000,
  }, () => {
    const cost = costMs(() =>
      expect(parsed(big).lineOf(['plan', 'tasks', 9_999, 'depends_on'])).toBe(30_003),
    );
    expect(cost).toBeLessThan(15_000);
  });

  it('is read as JSON as well, and all its problems are told as quickly', () => {
    const text = JSON.stringify(parsed(big).value, null, 2);
    let told: readonly string[] = [];
    const cost = costMs(() => {
      const read = parsed(text);
      told = Array.from({ length: 10_000 }, (_, task) =>
        problemText('f', read, { path: ['plan', 'tasks', task, 'skill'], message: 'x' }),
      );
    });
    expect(cost).toBeLessThan(5_000);
    expect(told[9_999]).toBe(`f:${7 + 9_999 * 7}: plan.tasks.9999.skill: x`);
  });
});
