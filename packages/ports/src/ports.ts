import type { Bus } from './bus.ts';
import type { Clock } from './clock.ts';
import type { Inbox } from './inbox.ts';
import type { Journal } from './journal.ts';
import type { Log } from './log.ts';
import type { Random } from './random.ts';
import type { Blobs, DeadLetters, Index } from './stores.ts';

/** What every service needs from its world. */
export interface Ports {
  readonly bus: Bus;
  readonly journal: Journal;
  readonly inbox: Inbox;
  readonly blobs: Blobs;
  readonly index: Index;
  readonly dead: DeadLetters;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}
