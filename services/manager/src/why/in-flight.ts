import type { Cause } from '@foldmesh/client';
import { type Key, keyOf, kindOf, positionOf, type Queue, type TaskPart } from '@foldmesh/envelope';
import { pipelineSkill } from '@foldmesh/job';
import type { Effect, Peeked } from '@foldmesh/ports';
import { heldCause } from './held-cause.ts';
import { type Look, peekAt } from './look.ts';
import { queueCause } from './queue-cause.ts';
import { examplesMax } from './seen.ts';
import { countOf } from './spans.ts';

/** Where something is that was asked: in whose hands, or in which queue and why there (M10). */
export const inFlightCause = async (look: Look, effect: Effect): Promise<Cause> => {
  const tasks = tasksOf(effect);
  const cause = await placeOf(look, effect);
  return tasks.length < 2 ? cause : { ...cause, count: tasks.length, examples: tasks.slice(0, examplesMax) };
};

const placeOf = async (look: Look, effect: Effect): Promise<Cause> => {
  const { draft, asked_at } = effect;
  const lane = draft.lane ?? kindOf(draft.type).lane;
  // A decider holds no claim.
  const here = lane === 'call' ? await heldPart(look, effect) : undefined;
  const task = positionOf(here?.key ?? draft.key).task;
  const asked = {
    what: whatOf(effect, task),
    who: whoOf(effect),
    task,
    since: asked_at,
    until: draft.deadline,
  };
  const held = here?.known && heldCause(look, asked, here.known);
  if (held !== undefined && held.silent === undefined)
    return here?.known?.holder === undefined
      ? held.cause
      : ((await calledCause(look, effect, here.key)) ?? held.cause);
  const queue: Queue = { ...draft.to, lane };
  const queued = await queueCause(look, { ...asked, queue, type: draft.type, needs: needsOf(effect) });
  if (held?.silent === undefined) return queued;
  // That its holder fell silent explains less than why nobody takes over.
  return stuck.includes(queued.reason) ? { ...queued, text: `${queued.text}; ${held.silent}` } : held.cause;
};

/** Causes that do not go away by waiting. */
const stuck: readonly Cause['reason'][] = ['storage', 'paused', 'build', 'no_worker'];

/** Calls of a skill that are looked at, from its first one on. */
const callsMax = 8;

/**
 * A skill in hand may itself wait for a call. Its calls have the numbers 0, 1 … and each ends before the next is made, so the
 * first without an outcome is the open one; what it calls otherwise is not seen here.
 */
const calledCause = async (look: Look, { draft, asked_at }: Effect, of: Key): Promise<Cause | undefined> => {
  if (draft.type !== 'task.assign') return undefined;
  const { tenant, job, task, round } = positionOf(of);
  for (let step = 0; step < callsMax; step++) {
    const key = keyOf({ tenant, job, task, round, step: String(step), call: '0' });
    const known = await peekAt(look, { type: 'tool.call', key });
    if (known === undefined) return undefined;
    if (known.stored !== undefined) continue;
    if (known.later === undefined) return undefined;
    // A call is named by its tool and what it is given.
    const who = `tool ${known.label.split(' ')[0]}`;
    const what = `the call of ${who} (task ${task})`;
    return heldCause(look, { what, who, task, since: asked_at, until: draft.deadline }, known)?.cause;
  }
  return undefined;
};

const tasksOf = ({ draft }: Effect): readonly string[] =>
  draft.type === 'task.assign' ? draft.payload.tasks.map(({ key }) => positionOf(key).task) : [];

interface Here {
  readonly key: Effect['draft']['key'];
  readonly known: Peeked | undefined;
}

/** Of an assignment its first task that has no outcome yet: they are carried out in order, so halving finds it. */
const heldPart = async (look: Look, { draft }: Effect): Promise<Here> => {
  const keys = draft.type === 'task.assign' ? draft.payload.tasks.map(({ key }) => key) : [draft.key];
  const at = async (index: number): Promise<Here> => {
    const key = keys[index] ?? draft.key;
    return { key, known: await peekAt(look, { type: draft.type, key }) };
  };
  let [low, high] = [0, keys.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((await at(middle)).known?.stored === undefined) high = middle;
    else low = middle + 1;
  }
  return at(low);
};

const whatOf = ({ draft }: Effect, task: string): string => {
  switch (draft.type) {
    case 'task.assign': {
      const others = draft.payload.tasks.length - 1;
      return others === 0 ? `task ${task}` : `task ${task} (given out with ${countOf(others, 'other')})`;
    }
    case 'model.call':
      return `the model call of agent ${draft.payload.agent} (task ${task})`;
    case 'tool.call':
      return `the call of tool ${draft.payload.tool} (task ${task})`;
    case 'input.ask':
      return `the question of task ${task}`;
    case 'run.answer':
      return `the answer to task ${task}`;
    default:
      return `${draft.type} of task ${task}`;
  }
};

const whoOf = ({ draft }: Effect): string => {
  switch (draft.type) {
    case 'model.call':
      return `model of agent ${draft.payload.agent}`;
    case 'tool.call':
      return `tool ${draft.payload.tool}`;
    default:
      return draft.type;
  }
};

const needsOf = ({ draft }: Effect): readonly string[] => {
  switch (draft.type) {
    case 'task.assign':
      return [...new Set(draft.payload.tasks.flatMap(neededBy))];
    case 'model.call':
      return [`agent:${draft.payload.agent}`];
    case 'tool.call':
      return [`tool:${draft.payload.tool}`];
    default:
      return [];
  }
};

/** A tool is the gateway's: any worker can ask for it. */
const neededBy = ({ run: { kind, name, inline } }: TaskPart): readonly string[] => {
  if (kind === 'tool') return [];
  return [inline === undefined ? `${kind}:${name}` : `skill:${pipelineSkill}`];
};
