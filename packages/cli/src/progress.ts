import { lineProgress } from './live/line-progress.ts';
import { liveProgress, type ViewClock } from './live/live-progress.ts';
import type { Progress } from './live/progress-view.ts';
import type { Screen } from './screen.ts';

/**
 * Shows a job under way: redrawn in place on a terminal, as lines anywhere else. `answered` says how a request of the job
 * is answered, where its viewer is not asked himself.
 */
export const progressOn = (
  screen: Screen,
  clock: ViewClock,
  answered?: (request: string) => string,
): Progress => (screen.isTerminal ? liveProgress(screen, clock, answered) : lineProgress(screen, answered));
