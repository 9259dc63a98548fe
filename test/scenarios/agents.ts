import type { Json } from '@foldmesh/envelope';
import { Script, scriptedModel } from '@foldmesh/models';
import type { Model, ModelRequest } from '@foldmesh/ports';
import type { AgentInput } from '@foldmesh/run';

/** A model that plays these turns, for the agents that name it. */
export const plays = (turns: Json, name = 'part'): Model =>
  scriptedModel(new Map([[`scripted/${name}`, Script.parse({ turns })]]));

/** The same model, and all that it is sent, in order. */
export const overheard = (model: Model): { readonly model: Model; readonly requests: ModelRequest[] } => {
  const requests: ModelRequest[] = [];
  const heard: Model = {
    reply(request, ...more) {
      requests.push(structuredClone(request));
      return model.reply(request, ...more);
    },
  };
  return { model: heard, requests };
};

/** An agent on that part, with the witness as its tools. */
export const agentOf = (more: Partial<AgentInput> = {}): AgentInput => ({
  name: 'traveller',
  instructions: 'Book the trip, step by step.',
  model: 'scripted/part',
  tools: ['witness.keyed', 'witness.read', 'witness.idempotent', 'witness.unsafe'],
  answer: { type: 'object', properties: { booked: { type: 'integer' } }, required: ['booked'] },
  ...more,
});

export const call = (name: string, id: string, more: { readonly [field: string]: Json } = {}): Json => ({
  name,
  input: { id, ...more },
});

export const answer = (booked: number): Json => ({ calls: [{ name: 'answer', input: { booked } }] });

/** A task that the agent does. */
export const agentTask = (id = 'trip'): { readonly [field: string]: Json } => ({
  id,
  agent: 'traveller',
  input: { to: 'the sea' },
  retry: { attempts: 5 },
});
