import type { Screen } from '../screen.ts';
import type { Progress } from './progress-view.ts';
import { rowText } from './row-text.ts';
import { rowsOf } from './task-rows.ts';

const linesMax = 200;

/** A line when a task starts, ends, or has come another tenth of its way; nothing is printed twice. */
export const lineProgress = (screen: Screen): Progress => {
  const said = new Map<string, string>();
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
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
};
