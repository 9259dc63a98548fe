import type { JobEvent } from '../events.ts';

/** What should be in flight: an assignment's tasks, or, without any, the halt of a job that stops or has ended without a word of somebody. */
export interface InFlight {
  readonly asked: number;
  readonly tasks?: readonly number[];
}

export interface BookKeeping {
  add(event: JobEvent, position: number): void;
  next(): readonly InFlight[];
}

/** Open assignments as the events tell of them, worked out without the state: what was asked less what was answered. */
export const bookKeeping = (): BookKeeping => {
  const open = new Map<
    string,
    { readonly asked: number; readonly tasks: readonly number[]; left: Set<number> }
  >();
  let halt: number | undefined;
  let ended = false;
  let unheard: number | undefined;
  const answered = (task: number): void => {
    for (const [name, { left }] of open) if (left.delete(task) && left.size === 0) open.delete(name);
  };
  return {
    add(event: JobEvent, position: number): void {
      if (event.kind === 'tasks-assigned')
        event.assignments.forEach((tasks, call) => {
          open.set(`${position}.${call}`, { asked: position, tasks, left: new Set(tasks) });
        });
      if (event.kind === 'assignment-ended') open.delete(`${event.step}.${event.call}`);
      if ('worker' in event) answered(event.task);
      if (event.kind === 'job-stopping') halt = position;
      if (/^job-(completed|failed|cancelled|refused)$/.test(event.kind)) ended = true;
      if ('receipt' in event && (event.receipt?.silent.length ?? 0) > 0) unheard = position;
    },
    next() {
      if (ended) return unheard === undefined ? [] : [{ asked: unheard }];
      return halt === undefined
        ? [...open.values()].map(({ asked, tasks }) => ({ asked, tasks }))
        : [{ asked: halt }];
    },
  };
};
