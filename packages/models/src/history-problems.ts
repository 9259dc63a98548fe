import { isJsonObject } from '@foldmesh/envelope';
import type { ModelMessage, ModelRequest } from '@foldmesh/ports';

/** Everything for which some provider would refuse a request for good. None: it is valid. */
export const historyProblems = ({ messages, tools }: ModelRequest): readonly string[] => [
  ...messageProblems(messages),
  ...toolProblems(tools),
];

const messageProblems = (messages: readonly ModelMessage[]): readonly string[] => {
  const problems: string[] = [];
  if (messages[0]?.role !== 'user') problems.push('the first message is not the user’s');
  let open = new Map<string, string>();
  for (const [index, message] of messages.entries()) {
    const at = `message ${index + 1}`;
    if (message.role === 'tool') {
      const name = open.get(message.call);
      if (!open.delete(message.call))
        problems.push(`${at}: the result ${message.call} has no call before it`);
      else if (name !== message.name)
        problems.push(`${at}: the result ${message.call} is of ${message.name}, its call of ${name}`);
      if (message.text.trim() === '') problems.push(`${at}: an empty result`);
      continue;
    }
    if (open.size > 0) problems.push(`${at}: no result for the calls ${[...open.keys()].join(', ')}`);
    open = new Map(message.role === 'assistant' ? message.calls.map(({ id, name }) => [id, name]) : []);
    if (message.role === 'assistant' && open.size !== message.calls.length)
      problems.push(`${at}: two calls have one id`);
    if (message.role === 'assistant') problems.push(...callProblems(message.calls, at));
    if (message.text.trim() !== '') continue;
    if (message.role === 'user' || message.calls.length === 0) problems.push(`${at}: an empty turn`);
    else if (message.text !== '') problems.push(`${at}: a text of blanks`);
  }
  if (open.size > 0) problems.push(`no result for the calls ${[...open.keys()].join(', ')}`);
  if (messages.at(-1)?.role === 'assistant') problems.push('the last message is the assistant’s');
  return problems;
};

const toolName = /^[A-Za-z0-9_.-]{1,64}$/;

const callProblems = (
  calls: Extract<ModelMessage, { role: 'assistant' }>['calls'],
  at: string,
): readonly string[] =>
  calls.flatMap(({ id, name, input }) => [
    ...(toolName.test(name) ? [] : [`${at}: the call ${id} has the name ${JSON.stringify(name)}`]),
    ...(isJsonObject(input) ? [] : [`${at}: the arguments of ${id} are no object`]),
  ]);

const toolProblems = (tools: ModelRequest['tools']): readonly string[] => {
  const names = new Set<string>();
  return tools.flatMap(({ name, schema }) => {
    const problems: string[] = [];
    if (!toolName.test(name)) problems.push(`the tool name ${JSON.stringify(name)} is not allowed`);
    if (names.has(name)) problems.push(`two tools are called ${name}`);
    names.add(name);
    if (!isJsonObject(schema) || schema['type'] !== 'object')
      problems.push(`the schema of ${name} is no object`);
    return problems;
  });
};
