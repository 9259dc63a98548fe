import { apiLimits, type MessagesQuery, type RunMessage, type RunMessages } from '@foldmesh/client';
import { cut, type Json, ok, type Result } from '@foldmesh/envelope';
import { planOf } from '@foldmesh/job';
import type { Entity } from '@foldmesh/ports';
import { carriedBy, type RunEvent, resultText, runFold } from '@foldmesh/run';
import type { z } from 'zod';
import type { Api, ApiCall } from './api-call.ts';
import { eachEvent } from './journal-entries.ts';
import { jsonAnswer } from './json-answer.ts';
import { knownTask } from './known-task.ts';
import { pageRoom } from './page-room.ts';
import { faultProblem, notFound, problem } from './problem.ts';
import { runInput } from './run-input.ts';
import { type Answered, type Line, runStory } from './run-story.ts';

type Query = z.output<typeof MessagesQuery>;

/** What an agent saw and said, in order, out of its run's journal. */
export const taskMessages = async (call: ApiCall<Query>): Promise<Response> => {
  const known = await knownTask(call);
  if (known instanceof Response) return known;
  const { loaded, entity, task, ordinal } = known;
  const { kind, name } = planOf(loaded.state, ordinal).run;
  if (kind !== 'agent')
    return problem(call, {
      status: 404,
      code: 'no_messages',
      title: `The task ${task} is no agent, so nobody talked`,
      detail: `it is the ${kind} ${name}; its attempts are at /v1/jobs/${entity.job}/tasks/${task}`,
    });
  const { round = loaded.state.round, after = -1, limit = apiLimits.pageDefault } = call.query;
  const run = { ...entity, run: { task, round } };
  const events: RunEvent[] = [];
  const told = await eachEvent(call, runFold, run, (event) => events.push(event));
  if (!told.ok) return faultProblem(call, told.fault, entity.job);
  const story = runStory(events, loaded.state.spec);
  if (story === undefined) return notFound(call, 'run');
  const { agent, lines, status, usage } = story;
  const page = await messagesOf(call, run, lines.slice(after + 1, after + 1 + limit));
  if (!page.ok) return faultProblem(call, page.fault, entity.job);
  const next = after + page.value.length;
  return jsonAnswer<RunMessages>({
    job: entity.job,
    task,
    round,
    agent: agent.name,
    model: agent.model,
    status,
    messages: page.value,
    usage,
    ...(next + 1 < lines.length && { next }),
  });
};

/** The messages of one page, as far as it has room. One after the other: each may be as large as an output can be. */
const messagesOf = async (
  api: Api,
  run: Entity,
  lines: readonly Line[],
): Promise<Result<readonly RunMessage[]>> => {
  const messages: RunMessage[] = [];
  const hasRoom = pageRoom(lines.length);
  for (const line of lines) {
    const message = await messageOf(api, run, line);
    if (!message.ok) return message;
    if (!hasRoom(message.value)) break;
    messages.push(message.value);
  }
  return ok(messages);
};

const messageOf = async (api: Api, run: Entity, line: Line): Promise<Result<RunMessage>> => {
  switch (line.kind) {
    case 'message':
      return ok({ ...line.message, text: shown(line.message.text) });
    case 'input': {
      const input = await runInput(api, run, line.started);
      return input.ok ? ok({ role: 'user', text: shown(textOf(input.value)), at: line.started.at }) : input;
    }
    case 'answer': {
      const { call, name, answered } = line;
      const told = await callTold(api, run, answered);
      return told.ok ? ok({ role: 'tool', call, name, ...told.value, at: answered.at }) : told;
    }
  }
};

/** What a call came to, as the model was told, whole: it saw the middle of a long one only if it asked again. */
const callTold = async (
  { values }: Api,
  { tenant, job }: Entity,
  event: Answered,
): Promise<Result<{ readonly text: string; readonly failed: boolean }>> => {
  const answer =
    event.kind === 'call-returned'
      ? event.answer
      : ({ kind: 'output', output: { value: event.value } } as const);
  const carried = carriedBy(answer);
  const output = carried === undefined ? ok(undefined) : await values.load(tenant, job, carried);
  if (!output.ok) return output;
  const { text, failed } = resultText(answer, output.value);
  return ok({ text: shown(text), failed });
};

const textOf = (input: Json): string => (typeof input === 'string' ? input : JSON.stringify(input));

const shown = (text: string): string => cut(text, apiLimits.messageBytesMax);
