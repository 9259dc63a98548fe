import type { Json } from '@foldmesh/envelope';
import { Script } from '@foldmesh/models';
import { Agent } from '@foldmesh/run';
import type { EffectClass } from '@foldmesh/sdk';
import type { Draw } from './draw.ts';

/** An agent, and the part that its model plays. */
export interface Part {
  readonly agent: Agent;
  readonly script: Script;
}

type Said = { readonly [field: string]: Json };
type Call = { readonly name: string; readonly input: Json };

/** More turns than it may take: whoever asks again is told the answer again. */
const turnsMax = 12;

/** An agent whose model calls tools in parallel, asks a person, remembers, says nothing, or goes wrong, and then ends. */
export const randomAgent = (draw: Draw, name: string, classes: readonly EffectClass[]): Part => {
  const hasAnswer = draw.chance(0.3);
  const turns: Said[] = [];
  const isMute = draw.chance(0.04);
  const count = isMute ? turnsMax : draw.from(1, 4);
  for (let turn = 0; turn < count; turn++)
    turns.push(isMute ? { text: '' } : randomTurn(draw, turn, classes));
  if (hasAnswer && draw.chance(0.3)) turns.push({ calls: [{ name: 'answer', input: { wrong: true } }] });
  const ending: Said = hasAnswer
    ? { text: '', calls: [{ name: 'answer', input: { verdict: 'done' } }] }
    : { text: 'It is done.' };
  while (turns.length < 2 * turnsMax) turns.push(ending);
  return {
    agent: Agent.parse({
      name,
      instructions: 'Do what the script says.',
      model: `scripted/${name}`,
      tools: [...classes.map((effect) => `witness.${effect}`), 'memory.write', 'memory.query', 'person.ask'],
      ...(hasAnswer && { answer: { type: 'object', required: ['verdict'] } }),
      limits: {
        turns: draw.chance(0.1) ? draw.from(1, 3) : turnsMax,
        parallel: draw.from(1, 4),
        group_ms: draw.oneOf([20_000, 120_000]),
      },
    }),
    script: Script.parse({ turns }),
  };
};

/** More than an entry of a journal carries inline. */
const longText = 'Let me think. '.repeat(6_000);

const randomTurn = (draw: Draw, turn: number, classes: readonly EffectClass[]): Said => {
  if (draw.chance(0.08)) return { text: '' };
  if (draw.chance(0.04))
    return {
      fault: draw.oneOf<Json>([
        { kind: 'refused', detail: 'not with me' },
        { kind: 'invalid', detail: 'unreadable' },
        { kind: 'overflow', detail: 'too much to read' },
        { kind: 'unavailable', detail: 'not today', retry_after_ms: 100 },
        { kind: 'throttled', detail: 'not so fast', retry_after_ms: 100 },
      ]),
    };
  const calls = Array.from({ length: draw.from(1, 4) }, (_, index) =>
    randomCall(draw, `\${input.id}-t${turn}-c${index}`, classes),
  );
  return {
    text: draw.chance(0.01) ? longText : draw.oneOf(['', 'Let me see.']),
    calls,
    usage: { input_tokens: 10 + turn, output_tokens: calls.length },
    ...(draw.chance(0.2) && { reasoning: { sign: turn } }),
  };
};

const randomCall = (draw: Draw, id: string, classes: readonly EffectClass[]): Call => {
  if (draw.chance(0.12)) return { name: 'memory.write', input: { text: id, tags: ['sim'] } };
  if (draw.chance(0.06)) return { name: 'memory.query', input: { tags: ['sim'] } };
  if (draw.chance(0.08)) return { name: 'person.ask', input: { question: `What about ${id}?` } };
  if (draw.chance(0.05)) return { name: 'witness.nobody', input: {} };
  if (draw.chance(0.05)) return { name: 'witness.keyed', input: { wrong: id } };
  return { name: `witness.${draw.oneOf(classes)}`, input: { id, ms: draw.oneOf([0, 50, 500, 4_000]) } };
};
