import type { Json } from '@foldmesh/envelope';
import type { ModelMessage, ModelRequest } from '@foldmesh/ports';
import { expect, test } from 'vitest';
import { Script } from './script.ts';
import { scriptedModel } from './scripted-model.ts';

const modelOf = (...turns: readonly unknown[]) =>
  scriptedModel(new Map([['scripted/clerk', Script.parse({ turns })]]));

const user = (text: string): ModelMessage => ({ role: 'user', text });
const past = (
  count: number,
  last = 'three hits',
  more: { readonly reasoning?: Json } = {},
): readonly ModelMessage[] =>
  Array.from({ length: count }, (_, turn): readonly ModelMessage[] => [
    { role: 'assistant', text: '', calls: [{ id: `c${turn}-0`, name: 'files.search', input: {} }], ...more },
    {
      role: 'tool',
      call: `c${turn}-0`,
      name: 'files.search',
      text: turn === count - 1 ? last : 'nothing',
      failed: false,
    },
  ]).flat();
const request = (messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'scripted/clerk',
  instructions: 'Find it.',
  messages,
  tools: [],
  ...more,
});
const open = new AbortController().signal;
const ask = (model: ReturnType<typeof modelOf>, messages: readonly ModelMessage[]) =>
  model.reply(request(messages), open);
const invalid = (detail: string) => ({
  ok: false,
  fault: { kind: 'invalid', detail: expect.stringContaining(detail), source: 'scripted' },
});

test('it says turn by turn what is written, with the defaults of what is not', async () => {
  const model = modelOf(
    { calls: [{ name: 'files.search' }], reasoning: { signature: 'x' } },
    { text: 'found', usage: { input_tokens: 3, output_tokens: 4 } },
  );
  expect(await ask(model, [user('go')])).toEqual({
    ok: true,
    value: {
      text: '',
      reasoning: { signature: 'x' },
      calls: [{ name: 'files.search', input: {} }],
      usage: { input_tokens: null, output_tokens: null },
    },
  });
  const told = past(1, 'three hits', { reasoning: { signature: 'x' } });
  expect(await ask(model, [user('go'), ...told])).toMatchObject({
    value: { text: 'found', calls: [], usage: { input_tokens: 3, output_tokens: 4 } },
  });
});

test('it tells its text word by word, and before it fails what it has said till then', async () => {
  const fault = { kind: 'unavailable', detail: 'gone' };
  for (const turn of [
    { text: 'One  two three', reasoning: 'hm' },
    { text: 'One  two three', fault },
  ]) {
    const heard: string[] = [];
    await modelOf(turn).reply(request([user('go')]), open, (text) => heard.push(text));
    expect(heard).toEqual(['One  ', 'two ', 'three']);
  }
});

test('it keeps nothing: the same request gets the same reply, in any order and of any of its kind', async () => {
  const turns = [{ text: 'a' }, { text: 'b' }, { text: 'c' }];
  const [one, other] = [modelOf(...turns), modelOf(...turns)];
  const texts: string[] = [];
  for (const [model, turn] of [
    [one, 2],
    [other, 0],
    [one, 0],
    [one, 2],
    [other, 1],
  ] as const) {
    const replied = await ask(model, [user('go'), ...past(turn)]);
    texts.push(replied.ok ? replied.value.text : replied.fault.detail);
  }
  expect(texts).toEqual(['c', 'a', 'a', 'c', 'b']);
});

test('it is as strict as the strictest provider, and says all that is wrong', async () => {
  const model = modelOf({ text: 'never said' }, { text: 'nor this' });
  const [question, result] = past(1);
  const broken = [question, user('')].filter((one) => one !== undefined);
  expect(await ask(model, broken)).toEqual(invalid('the model refuses the request (400): the first message'));
  expect(await ask(model, broken)).toEqual(invalid('no result for the calls c0-0; message 2: an empty turn'));
  expect(await ask(model, [user('go'), ...(result === undefined ? [] : [result])])).toEqual(
    invalid('the result c0-0 has no call before it'),
  );
  const twice = { name: 'a', description: '', schema: { type: 'object' } };
  expect(await model.reply(request([user('go')], { tools: [twice, twice] }), open)).toEqual(
    invalid('two tools are called a'),
  );
});

test('C079: it refuses a history whose reasoning is not what it said', async () => {
  const model = modelOf({ calls: [{ name: 'files.search' }], reasoning: { signature: 'x' } }, { text: 'b' });
  expect(await ask(model, [user('go'), ...past(1)])).toEqual(invalid('the reasoning of turn 1 is missing'));
});

test('it fails as it is written, by class or by what a provider would answer', async () => {
  const throttled = { kind: 'throttled', detail: 'too many', retry_after_ms: 500 };
  expect(await ask(modelOf({ fault: throttled }), [user('go')])).toEqual({ ok: false, fault: throttled });
  const busy = modelOf({ fault: { status: 503, retry_after_ms: 500 } });
  expect(await ask(busy, [user('go')])).toMatchObject({
    fault: {
      kind: 'unavailable',
      detail: 'the model scripted/clerk answered 503',
      retry_after_ms: 500,
    },
  });
  expect(() => modelOf({ fault: { status: 200 } })).toThrow('status');
});

test('a model without a script and a turn past its end are said by name', async () => {
  const model = modelOf({ text: 'a' });
  expect(await model.reply(request([user('go')], { model: 'scripted/nobody' }), open)).toEqual(
    invalid('there is no script for the model scripted/nobody'),
  );
  expect(await ask(model, [user('go'), ...past(1)])).toEqual(
    invalid('the script of scripted/clerk has no turn 2'),
  );
});

test('of several things to say the first is said whose `when` the last results hold', async () => {
  const model = modelOf({ text: 'look' }, [
    { when: 'three', text: 'many' },
    { when: 'hit', text: 'some' },
    { when: 'nothing', text: 'none' },
  ]);
  const said = async (last: string) => ask(model, [user('three nothing'), ...past(1, last)]);
  expect(await said('three hits')).toMatchObject({ value: { text: 'many' } });
  expect(await said('one hit')).toMatchObject({ value: { text: 'some' } });
  expect(await said('nothing')).toMatchObject({ value: { text: 'none' } });
  expect(await said('else')).toEqual(
    invalid('nothing that turn 2 of scripted/clerk could say fits the results'),
  );
});

test('`when` sees the last results, not those before them', async () => {
  const model = modelOf({}, {}, [{ when: 'nothing', text: 'old' }, { text: 'new' }]);
  expect(await ask(model, [user('go'), ...past(2)])).toMatchObject({ value: { text: 'new' } });
});

test('a lookup that is a whole text keeps its value’s type, one inside a text is put into it', async () => {
  const model = modelOf({
    text: 'read ${input.path} of ${input.sizes} ($${input})',
    calls: [
      { name: 'a', input: { sizes: '${input.sizes}', all: ['${input}'], first: '${input.sizes.0}', n: 1 } },
    ],
  });
  const input = { path: 'a.md', sizes: [1, 2] };
  expect(await ask(model, [user(JSON.stringify(input))])).toMatchObject({
    value: {
      text: 'read a.md of [1,2] (${input})',
      calls: [{ input: { sizes: [1, 2], all: [input], first: 1, n: 1 } }],
    },
  });
  // What is no JSON is a text.
  expect(await ask(modelOf({ text: '<${input}>' }), [user('go there')])).toMatchObject({
    value: { text: '<go there>' },
  });
});

test.each([
  ['${input.nope}', 'in the input there is'],
  ['${tasks.a.output}', 'must start with input'],
  ['${inputs.a}', 'must start with input'],
  ['${input', 'the script of scripted/clerk'],
])('the lookup %s leads nowhere, and says so', async (text, detail) => {
  expect(await ask(modelOf({ text }), [user('{}')])).toEqual(invalid(detail));
});

test('a fault is as written; what says no time is never tried again', async () => {
  const throttled = { kind: 'throttled', detail: 'busy', retry_after_ms: 5 };
  const refused = { kind: 'refused', detail: 'no' };
  expect(await ask(modelOf({ fault: throttled }), [user('go')])).toEqual({ ok: false, fault: throttled });
  expect(await ask(modelOf({ fault: refused }), [user('go')])).toEqual({ ok: false, fault: refused });
});

test('who has been aborted is told nothing', async () => {
  expect(await modelOf({ text: 'a' }).reply(request([user('go')]), AbortSignal.abort())).toMatchObject({
    ok: false,
    fault: { kind: 'unanswered' },
  });
});

test('a script that says what nobody understands is refused', () => {
  for (const turns of [[], [{ says: 'a' }], [[]], [{ fault: { kind: 'broken', detail: '' } }]])
    expect(Script.safeParse({ turns }).success).toBe(false);
});

test('a lookup alone is said as it is within a text', async () => {
  const texts: unknown[] = [];
  for (const text of ['${input.a}', 'so: ${input.a}', '${input.b}', '${input.c}']) {
    const asked = request([user('{"a":{"k":[1]},"b":null,"c":"yes"}')]);
    const replied = await modelOf({ text }).reply(asked, open);
    texts.push(replied.ok && replied.value.text);
  }
  expect(texts).toEqual(['{"k":[1]}', 'so: {"k":[1]}', 'null', 'yes']);
});
