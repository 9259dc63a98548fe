import type { Json } from '@foldmesh/envelope';
import { historyProblems } from '@foldmesh/models';
import type { ModelRequest } from '@foldmesh/ports';
import { spanSink } from '@foldmesh/runtime/internal';
import { describe, expect, it } from 'vitest';
import { agentOf, agentTask, answer, call, overheard, plays } from './agents.ts';
import { apiOf } from './api.ts';
import { allComplete, everyJobEnds, noDeadLetters, oneWitnessRowPerEffect, stateOf } from './checks.ts';
import type { Check } from './ending.ts';
import type { Run } from './mesh.ts';
import { play, submitJob } from './scenario.ts';
import { jobOf, look } from './specs.ts';

/** In every part of what a model thinks: where it stands, reasoning has got out. */
const mark = 'NoBodysBusiness';

/** What providers want back, by the shapes that they give it. */
const shapes: { readonly [shape: string]: Json } = {
  'a signed block': [{ type: 'thinking', thinking: `${mark}: first\n\nthis 🦊`, signature: `${mark}Eq==` }],
  'a signature alone': [{ type: 'thinking', thinking: '', signature: `${mark}Eq==` }],
  'a redacted block beside a signed one': [
    { type: 'redacted_thinking', data: `${mark}Em==` },
    { type: 'thinking', thinking: mark, signature: 'Eq==' },
  ],
  'a field of its own': `${mark}: I had better look first. `,
  'an encrypted item': [{ id: 'rs_1', summary: [], encrypted_content: `${mark}${'gAAA'.repeat(20_000)}` }],
  'signatures by call': { thoughts: { '0': `${mark}A`, '1': null }, z: 1.5, a: [[], {}, ''] },
  'more than a message carries': [{ type: 'thinking', thinking: '', signature: mark.repeat(20_000) }],
};

const job = jobOf([agentTask()], { result: look('tasks.trip.output.booked') });
const submitted = (run: Run): Promise<void> => submitJob(run, job);
const quiet = (run: Run): Promise<void> => run.clock.sleep(90_000);

/** In the story's own time, and not for ever. */
const until = async ({ clock }: Run, is: () => boolean | Promise<boolean>): Promise<void> => {
  for (let left = 600; left > 0; left--) {
    if (await is()) return;
    await clock.sleep(100);
  }
  throw new Error(`it never was so: ${is}`);
};

/** Thinks before it calls, thinks and says nothing more, calls without a thought, thinks again. */
const scriptOf = (reasoning: Json): Json => [
  { text: 'I look.', reasoning, calls: [call('witness.keyed', 'leg-1', { ms: 4_000 })] },
  { reasoning: [reasoning, 'and again'] },
  { calls: [call('witness.keyed', 'leg-2', { ms: 4_000 }), call('witness.read', 'weather')] },
  { text: 'Both are there.', reasoning, calls: [call('witness.keyed', 'leg-3')] },
  answer(3),
];
const thoughtsOf = (reasoning: Json) => [reasoning, [reasoning, 'and again'], undefined, reasoning];

const thoughtsIn = (request: ModelRequest | undefined): readonly (Json | undefined)[] =>
  (request?.messages ?? []).flatMap((message) => (message.role === 'assistant' ? [message.reasoning] : []));

/** To the byte: a signature is over what was said, in the order in which it was. */
const textsOf = (thoughts: readonly (Json | undefined)[]) => thoughts.map((one) => JSON.stringify(one));

const goesOn: readonly Check[] = [everyJobEnds, allComplete, oneWitnessRowPerEffect, noDeadLetters];

describe.each(Object.entries(shapes))('C079: %s', (_, reasoning) => {
  const played = async (change: (run: Run) => Promise<void>) => {
    const { model, requests } = overheard(plays(scriptOf(reasoning)));
    const steps = [submitted, change, quiet];
    return { requests, ending: await play({ agents: [agentOf()], model }, steps, 1) };
  };

  const cameBack = (requests: readonly ModelRequest[]): void => {
    expect(requests.flatMap(historyProblems)).toEqual([]);
    const thoughts = thoughtsOf(reasoning);
    for (const request of requests) {
      const turns = thoughtsIn(request);
      expect(textsOf(turns)).toEqual(textsOf(thoughts.slice(0, turns.length)));
    }
    expect(thoughtsIn(requests.at(-1)).length).toBe(4);
  };

  it('goes back with every later request as it came', async () => {
    const { requests, ending } = await played(async () => undefined);
    for (const check of goesOn) check(ending);
    expect(requests.length).toBe(5);
    cameBack(requests);
  });

  it.each(['killed', 'shut down'])('goes back from another worker, when its own was %s', async (how) => {
    const { requests, ending } = await played(async (run) => {
      for (const [leg, old, next] of [
        ['leg-1', 'worker-1', 'worker-2'],
        ['leg-2', 'worker-2', 'worker-3'],
      ] as const) {
        await until(run, () => run.witness.runs.has(leg));
        if (how === 'killed') run.life(old).kill();
        else await run.shutDown(old);
        await run.start(next);
      }
    });
    for (const check of goesOn) check(ending);
    // Each of them read the history from the journal.
    for (const worker of ['worker-1', 'worker-2', 'worker-3'])
      expect(
        ending.calls.some(({ service, call: made }) => service === worker && made === 'journal.read'),
        worker,
      ).toBe(true);
    cameBack(requests);
  });
});

describe('C079: what a model thought', () => {
  const places = ['', '/tasks/trip', '/tasks/trip/messages', '/why', '/artifacts'];

  /** All that anybody can see of a run: what the API says, the log, the spans. */
  const seenOf = async (script: Json, turns: number) => {
    using sink = spanSink();
    const seen = new Map<string, string>();
    const follow = async (run: Run): Promise<void> => {
      await submitted(run);
      const ask = await apiOf(run);
      await until(run, async () => (await ask('/v1/jobs')).includes('job-1'));
      const stream = ask('/v1/jobs/job-1/events');
      await quiet(run);
      seen.set('/events', await stream);
      for (const place of places) seen.set(place, await ask(`/v1/jobs/job-1${place}`));
      for (const journal of ['/journal', '/journal?task=trip'])
        seen.set(journal, await ask(`/v1/jobs/job-1${journal}`));
    };
    const setup = { agents: [agentOf({ limits: { turns } })], model: plays(script) };
    const ending = await play(setup, [follow], 1);
    seen.set('log', JSON.stringify(ending.log));
    seen.set('spans', JSON.stringify(sink.spans));
    return { seen, ending };
  };

  const told = (seen: ReadonlyMap<string, string>): readonly string[] =>
    [...seen].flatMap(([place, text]) => (text.includes(mark) ? [place] : []));

  it.each(Object.entries(shapes))('is seen by nobody: %s', async (_, reasoning) => {
    const { seen, ending } = await seenOf(scriptOf(reasoning), 20);
    for (const check of goesOn) check(ending);
    // All was there to be seen.
    expect(seen.get('/tasks/trip/messages')).toContain('Both are there.');
    expect(seen.get('/events')).toContain('job-completed');
    expect(seen.get('/journal?task=trip')).toContain('"withheld_bytes":');
    expect(seen.get('spans')).toContain('chat scripted/part');
    expect(told(seen)).toEqual([]);
  });

  it('is no last word of a run that fails', async () => {
    const { seen, ending } = await seenOf([{ reasoning: mark }, { reasoning: { a: mark } }], 2);
    expect(stateOf(ending).fault?.detail).toMatch(/, turn 2: no answer within 2 turns$/);
    expect(told(seen)).toEqual([]);
  });
});
