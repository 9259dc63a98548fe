import type { Step } from '../job-feed.ts';

/** Shows a job under way; disposing leaves the last state standing. */
export interface Progress extends AsyncDisposable {
  show(step: Step): void;
  /** Makes way for what somebody else says, which may be to the same terminal. */
  aside(say: () => void): void;
}
