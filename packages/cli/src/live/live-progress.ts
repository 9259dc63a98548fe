import { type JobState, recordOf } from '@foldmesh/job';
import type { Clock } from '@foldmesh/ports';
import type { Step } from '../job-feed.ts';
import { printable } from '../printable.ts';
import type { Screen } from '../screen.ts';
import { firstColumns, lastColumns } from './fit-columns.ts';
import { graphDepths } from './graph-depths.ts';
import { type LastWords, lastWords } from './last-words.ts';
import type { Progress } from './progress-view.ts';
import { durationText, graphLine, usageText } from './row-text.ts';
import { type Row, rowsOf } from './task-rows.ts';

/** Between two drawings at most, and at least. Milliseconds. */
const frameMs = 50;
const tickMs = 1_000;
/** Lines of a terminal that are left for what is asked and said below. */
const marginRows = 4;
const columnsMin = 20;
/** A deep chain is indented no further. */
const depthMax = 8;
/** Of so many tasks that speak at once what they say is shown. */
const voicesMax = 3;

/** Times in a view go on by the one, and are at least those of the other: the last event may be long ago. */
export type ViewClock = Pick<Clock, 'monotonic' | 'now' | 'sleep'>;

interface View {
  readonly screen: Screen;
  readonly answered: ((request: string) => string) | undefined;
  readonly words: LastWords;
  /** Of each plan task, its place in the graph. */
  readonly depths: (plan: JobState['plan']) => readonly number[];
}

/**
 * Redraws the graph where it stands: soon after a change, and each second for the times in it. A window that has become
 * narrower or lower is drawn as it is then. While a person at this terminal is asked nothing is drawn over the question.
 */
export const liveProgress = (
  screen: Screen,
  clock: ViewClock,
  answered: ((request: string) => string) | undefined,
): Progress => {
  const ended = new AbortController();
  const view: View = { screen, answered, words: lastWords(), depths: planDepths() };
  let held: { readonly step: Step; readonly since: number } | undefined;
  let isDrawn = true;
  let height = 0;
  let last = 0;
  const draw = (): void => {
    if (held === undefined) return;
    const { step, since } = held;
    [isDrawn, last] = [true, clock.monotonic()];
    const hasEnded = step.state.ended_at !== undefined;
    const at = hasEnded ? step.at : Math.max(step.at + (last - since), clock.now());
    const isAsking = answered === undefined && step.state.asks.some(({ answer }) => answer === undefined);
    const lines = isAsking ? [] : linesOf(step.state, at, view);
    if (!isAsking)
      screen.write(`${upBy(height)}${lines.map((line) => `\u001b[2K${line}\n`).join('')}\u001b[0J`);
    height = lines.length;
  };
  const redraw = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await clock.sleep(frameMs, ended.signal);
      if (!ended.signal.aborted && (!isDrawn || clock.monotonic() - last >= tickMs)) draw();
    }
  };
  const redrawing = redraw();
  return {
    show(step) {
      const isFirst = held === undefined;
      held = { step, since: clock.monotonic() };
      isDrawn = false;
      if (isFirst) draw();
    },
    hear(news) {
      view.words.hear(news);
      isDrawn = false;
    },
    aside(say) {
      if (height > 0) screen.write(`${upBy(height)}\u001b[0J`);
      say();
      [height, isDrawn] = [0, false];
    },
    async [Symbol.asyncDispose]() {
      ended.abort();
      await redrawing;
      draw();
    },
  };
};

const upBy = (lines: number): string => (lines > 0 ? `\u001b[${lines}A` : '');

/** A plan does not change once it is there, so its depths are found once. */
const planDepths = (): View['depths'] => {
  let known: { readonly plan: JobState['plan']; readonly depths: readonly number[] } | undefined;
  return (plan) => {
    if (known?.plan !== plan)
      known = {
        plan,
        depths: graphDepths(
          plan.map(({ deps }) => deps.map(({ task }) => task)),
          depthMax,
        ),
      };
    return known.depths;
  };
};

const linesOf = (
  state: JobState,
  at: number,
  { screen, answered, words, depths }: View,
): readonly string[] => {
  const columns = Math.max(columnsMin, screen.columns - 1);
  const record = recordOf(state, Math.round(at), '');
  const rows = rowsOf(state, record.tasks);
  const asked = answered === undefined ? [] : record.requests;
  const voices = words.of(record.tasks).slice(0, voicesMax);
  const room = Math.max(3, screen.rows - marginRows - 2 * asked.length - voices.length);
  const places = depths(state.plan);
  const placed = rows.map((row, ordinal) => ({ row, depth: places[ordinal] ?? 0 }));
  const shown = placed.length <= room ? placed : placed.filter(({ row }) => isBusy(row)).slice(0, room);
  const hidden = rows.length - shown.length;
  const done = rows.reduce((sum, row) => sum + row.done, 0);
  const total = rows.reduce((sum, row) => sum + row.total, 0);
  const used = [`${done}/${total} tasks`, usageText(record.usage), durationText(at - state.accepted_at)];
  return [
    firstColumns(
      `${record.name} ${record.status}: ${used.filter((part) => part !== '').join(', ')}`,
      columns,
    ),
    ...shown.map(({ row, depth }) => graphLine(row, depth, at, { columns, hasColours: screen.hasColours })),
    ...(hidden > 0 ? [`  and ${hidden} more`] : []),
    ...voices.map((voice) => voiceLine(voice, columns)),
    ...asked.flatMap(({ request, question }) =>
      [`? ${printable(question.split(/\r?\n/)[0] ?? '')}`, `  ${answered?.(request)}`].map((line) =>
        firstColumns(line, columns),
      ),
    ),
  ];
};

/** The end of what is said, in one line. */
const voiceLine = ({ task, text }: ReturnType<LastWords['of']>[number], columns: number): string => {
  const start = `  ${task}: `;
  const words = printable(text.replace(/[\s\p{Cc}]+/gu, ' ').trim());
  return firstColumns(`${start}${lastColumns(words, Math.max(0, columns - start.length))}`, columns);
};

/** The busy ones matter; of many tasks the finished and the untouched make way. */
const isBusy = ({ status }: Row): boolean => status !== 'completed' && status !== 'pending';
