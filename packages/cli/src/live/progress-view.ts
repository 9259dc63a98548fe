import type { TokenDelta } from '@foldmesh/envelope';
import type { Step } from '../job-feed.ts';

/** Shows a job under way; disposing leaves the last state standing. */
export interface Progress extends AsyncDisposable {
  show(step: Step): void;
  /** What a model says while it says it. */
  hear(news: TokenDelta): void;
  /** Makes way for what somebody else says, which may be to the same terminal. */
  aside(say: () => void): void;
}
