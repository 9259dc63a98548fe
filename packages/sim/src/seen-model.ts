import type { Model, ModelRequest } from '@foldmesh/ports';
import type { Observer } from './observed.ts';

/** Tells of each reply that has arrived, and for which task: what a run notes later must be among them (M5). */
export const seen = (model: Model, observer: Observer): Model => ({
  async reply(request, signal, hear) {
    const reply = await model.reply(request, signal, hear);
    const task = taskOf(request);
    if (reply.ok && task !== undefined) observer.served(task, reply.value.usage);
    return reply;
  },
});

/** The input of every agent's task names the task. */
const taskOf = ({ messages: [first] }: ModelRequest): string | undefined =>
  /"id":"([^"]*)"/.exec(first?.text ?? '')?.[1];
