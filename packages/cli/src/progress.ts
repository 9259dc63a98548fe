import { type JobState, recordOf, type TaskStatus } from '@foldmesh/job';
import type { Step } from './job-feed.ts';

/** Shows a job under way: redrawn in place on a terminal, as lines anywhere else. */
export interface Progress {
  show(step: Step): void;
  /** Leaves the last state standing. */
  end(): void;
}

export interface Screen {
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
}

/** One line's worth of a plan task, its children counted together. */
interface Row {
  readonly id: string;
  readonly what: string;
  readonly counts: ReadonlyMap<TaskStatus, number>;
  readonly total: number;
}

const marks: Readonly<Record<TaskStatus, string>> = {
  pending: '·',
  ready: '·',
  running: '▸',
  waiting: '…',
  completed: '✓',
  failed: '✗',
  skipped: '–',
  cancelled: '×',
  unknown: '?',
};

const ended: readonly TaskStatus[] = ['completed', 'failed', 'skipped', 'cancelled', 'unknown'];

/** Plan tasks, then for each the counts of its children by status. A task that has no children counts itself. */
const rowsOf = (state: JobState): readonly Row[] =>
  state.plan.map((plan, ordinal) => {
    const own = state.tasks[ordinal];
    const { group } = own ?? {};
    const counted = group === undefined ? [own] : state.tasks.slice(group.base, group.base + group.count);
    const counts = new Map<TaskStatus, number>();
    for (const task of counted)
      if (task !== undefined) counts.set(shownStatus(task), (counts.get(shownStatus(task)) ?? 0) + 1);
    return { id: plan.id, what: `${plan.run.kind} ${plan.run.name}`, counts, total: counted.length };
  });

/** A fused task is out with the one it waits for, and not begun before that has ended. */
const shownStatus = ({ status, unmet }: JobState['tasks'][number]): TaskStatus =>
  status === 'running' && unmet > 0 ? 'pending' : status;

const doneOf = ({ counts }: Row): number => ended.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);

const statusOf = (row: Row): TaskStatus => {
  for (const status of ['unknown', 'failed', 'running', 'waiting', 'cancelled'] as const)
    if (row.counts.has(status)) return status;
  if (doneOf(row) === row.total) return row.counts.has('completed') ? 'completed' : 'skipped';
  return doneOf(row) > 0 ? 'running' : 'pending';
};

const textOf = (row: Row): string => {
  const parts = [...row.counts]
    .filter(([status]) => status !== 'pending' && status !== 'ready')
    .map(([status, count]) => (row.total === 1 ? status : `${count} ${status}`));
  return `${marks[statusOf(row)]} ${row.id.padEnd(16)} ${row.total === 1 ? '' : `${doneOf(row)}/${row.total} `}${parts.join(', ')}  ${row.what}`;
};

export const progressOn = (screen: Screen, monotonic: () => number): Progress =>
  screen.isTerminal ? liveProgress(screen, monotonic) : lineProgress(screen);

const redrawMs = 50;

const liveProgress = (screen: Screen, monotonic: () => number): Progress => {
  let drawn = 0;
  let last = Number.NEGATIVE_INFINITY;
  let held: Step | undefined;
  const draw = ({ state, at }: Step): void => {
    const room = Math.max(3, screen.rows - 4);
    const rows = rowsOf(state);
    // The busy ones matter; of many tasks the finished and the untouched make way.
    const shown =
      rows.length <= room
        ? rows
        : rows.filter((row) => statusOf(row) !== 'completed' && statusOf(row) !== 'pending').slice(0, room);
    const hidden = rows.length - shown.length;
    const record = recordOf(state, at, '');
    const head = `${record.name} ${record.status}: ${rows.reduce((sum, row) => sum + doneOf(row), 0)}/${rows.reduce((sum, row) => sum + row.total, 0)} tasks, ${record.usage.tool_calls} tool calls`;
    const lines = [head, ...shown.map(textOf), ...(hidden > 0 ? [`  and ${hidden} more`] : [])].map((line) =>
      line.slice(0, Math.max(20, screen.columns - 1)),
    );
    screen.write(
      `${drawn > 0 ? `\u001b[${drawn}A` : ''}${lines.map((line) => `\u001b[2K${line}\n`).join('')}\u001b[0J`,
    );
    drawn = lines.length;
  };
  return {
    show(step) {
      held = step;
      if (monotonic() - last < redrawMs) return;
      last = monotonic();
      draw(step);
    },
    end() {
      if (held !== undefined) draw(held);
    },
  };
};

/** A line when a task starts, ends, or has come another tenth of its way; nothing is printed twice. */
const lineProgress = (screen: Screen): Progress => {
  const said = new Map<string, string>();
  const linesMax = 200;
  let lines = 0;
  return {
    show({ state }) {
      for (const row of rowsOf(state)) {
        const tenth = Math.floor((doneOf(row) / Math.max(1, row.total)) * 10);
        const now = `${statusOf(row)} ${row.total > 1 ? tenth : ''}`;
        if (statusOf(row) === 'pending' || said.get(row.id) === now) continue;
        said.set(row.id, now);
        if (lines++ < linesMax) screen.write(`${textOf(row)}\n`);
        else if (lines === linesMax + 1) screen.write('… more tasks than are worth a line each\n');
      }
    },
    end: () => undefined,
  };
};
