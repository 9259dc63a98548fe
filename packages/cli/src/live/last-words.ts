import type { TokenDelta } from '@foldmesh/envelope';
import type { TaskRecord } from '@foldmesh/job';

/** What models are saying at this moment, as much of it as is worth a look. */
export interface LastWords {
  hear(news: TokenDelta): void;
  /** The end of what is said in each task that is under way; of the one that spoke last first. */
  of(tasks: readonly TaskRecord[]): readonly { readonly task: string; readonly text: string }[];
}

/** More of a turn than any line shows. UTF-16 units. */
const textMax = 512;
const tasksMax = 64;

/** A turn that begins anew takes the place of what was told of it, and so does one of which something was lost. */
export const lastWords = (): LastWords => {
  const said = new Map<string, { readonly text: string; readonly turn: string; readonly end: number }>();
  return {
    hear({ task, round, step, at, text }) {
      const before = said.get(task);
      const turn = `${round}/${step}`;
      const goesOn = before?.turn === turn && before.end === at;
      said.delete(task);
      said.set(task, {
        text: `${goesOn ? before.text : ''}${text}`.slice(-textMax),
        turn,
        end: at + text.length,
      });
      const [oldest] = said.keys();
      if (said.size > tasksMax && oldest !== undefined) said.delete(oldest);
    },
    of(tasks) {
      const busy = new Set(tasks.filter(({ status }) => status === 'running').map(({ id }) => id));
      for (const task of said.keys()) if (!busy.has(task)) said.delete(task);
      return [...said].map(([task, { text }]) => ({ task, text })).reverse();
    },
  };
};
