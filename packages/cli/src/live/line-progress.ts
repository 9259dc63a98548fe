import type { JobState } from '@foldmesh/job';
import { questionText } from '../question-text.ts';
import type { Screen } from '../screen.ts';
import type { Progress } from './progress-view.ts';
import { rowText } from './row-text.ts';
import { rowsOf } from './task-rows.ts';

const linesMax = 200;

/**
 * A line when a task starts, ends, or has come another tenth of its way; nothing is printed twice. `answered` says how a
 * question is answered, where no one else says it.
 */
export const lineProgress = (
  screen: Screen,
  answered: ((request: string) => string) | undefined,
): Progress => {
  const said = new Map<string, string>();
  const asked = new Set<string>();
  const tellQuestions = (state: JobState, tell: (request: string) => string): void => {
    for (const ask of state.asks) {
      const { request, answer } = ask;
      const isOpen = answer === undefined;
      if (isOpen && !asked.has(request)) {
        asked.add(request);
        screen.write(`${questionText(ask)}\n  ${tell(request)}\n`);
      } else if (!isOpen && asked.delete(request)) screen.write(`${request} was answered\n`);
    }
  };
  let lines = 0;
  return {
    show({ state, at }) {
      for (const row of rowsOf(state)) {
        const tenth = Math.floor((row.done / Math.max(1, row.total)) * 10);
        const now = `${row.status} ${row.total > 1 ? tenth : ''}`;
        if (row.status === 'pending' || said.get(row.id) === now) continue;
        said.set(row.id, now);
        if (lines++ < linesMax) screen.write(`${rowText(row, at)}\n`);
        else if (lines === linesMax + 1) screen.write('… more tasks than are worth a line each\n');
      }
      if (answered !== undefined) tellQuestions(state, answered);
    },
    // A line is printed once: it is no place for what is still being said.
    hear: () => undefined,
    aside: (say) => say(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
};
