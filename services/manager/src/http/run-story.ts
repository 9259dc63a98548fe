import type { RunMessage, RunMessages } from '@foldmesh/client';
import { isJsonObject } from '@foldmesh/envelope';
import {
  historyOf,
  instructionsOf,
  type JobTold,
  type RunEvent,
  type RunEventOf,
  runFold,
} from '@foldmesh/run';

/** What an agent saw and said, in order, with what it cost. */
export interface RunStory extends Pick<RunMessages, 'status' | 'usage'> {
  readonly agent: RunEventOf<'run-started'>['agent'];
  readonly lines: readonly Line[];
}

/** A message, or what one is made of whose text may lie in the blob store: it is fetched for whoever reads that page. */
export type Line =
  | { readonly kind: 'message'; readonly message: RunMessage }
  | { readonly kind: 'input'; readonly started: RunEventOf<'run-started'> }
  | { readonly kind: 'answer'; readonly call: string; readonly name: string; readonly answered: Answered };

/** A call that came back, or a question that a person has answered. */
export type Answered = RunEventOf<'call-returned' | 'answer-given'>;

/** A run told from its events; undefined of one that has not begun. Nothing is read for it. */
export const runStory = (events: readonly RunEvent[], job: JobTold | undefined): RunStory | undefined => {
  // A run that had asked no model begins anew with another attempt: the last beginning is the one that counts.
  const started = events.findLast((event) => event.kind === 'run-started');
  if (started === undefined) return undefined;
  const { agent, at } = started;
  const lines: Line[] = [
    said({ role: 'system', text: instructionsOf(agent, job), at }),
    { kind: 'input', started },
  ];
  const usage = { input_tokens: 0, output_tokens: 0 };
  let turn = -1;
  let reply: RunEventOf<'model-replied'> | undefined;
  let state = runFold.initial();
  for (const event of events) {
    state = runFold.evolve(state, event);
    if (event.kind === 'model-replied') {
      turn += 1;
      reply = event;
      usage.input_tokens += event.usage?.input_tokens ?? 0;
      usage.output_tokens += event.usage?.output_tokens ?? 0;
      lines.push(...turnSaid(event, turn));
    } else if (event.kind === 'model-asked') lines.push(...nudged(reply, event.at));
    else if (event.kind === 'call-returned' || event.kind === 'answer-given') {
      const name = reply?.calls[event.call]?.name ?? '';
      lines.push({ kind: 'answer', call: callId(turn, event.call), name, answered: event });
    }
  }
  return { agent, lines, status: state.status, usage };
};

const said = (message: RunMessage): Line => ({ kind: 'message', message });

/** What the model was told before it was asked again, where its turn had called nothing and was no answer. */
const nudged = (reply: RunEventOf<'model-replied'> | undefined, at: number): readonly Line[] => {
  const last = reply === undefined || reply.calls.length > 0 ? undefined : historyOf([reply], '').at(-1);
  return last?.role === 'user' ? [said({ role: 'user', text: last.text, at })] : [];
};

const callId = (turn: number, call: number): string => `c${turn}-${call}`;

/** A reply, and what the model was told at once of calls that cannot be made. */
const turnSaid = ({ text, calls, usage, at }: RunEventOf<'model-replied'>, turn: number): readonly Line[] => [
  said({
    role: 'assistant',
    text,
    calls: calls.map(({ name, input }, call) => ({
      id: callId(turn, call),
      name,
      input: isJsonObject(input) ? input : { input },
    })),
    ...(usage !== undefined && { usage }),
    at,
  }),
  ...calls.flatMap(({ name, problem: wrong }, call): Line[] =>
    wrong === undefined
      ? []
      : [said({ role: 'tool', call: callId(turn, call), name, text: wrong, failed: true, at })],
  ),
];
