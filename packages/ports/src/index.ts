export type { Bus, Delivery, Filled, Standing, Subscription } from './bus.ts';
export type { Clock } from './clock.ts';
export type { Decider, Effect, Lost } from './decider.ts';
export type {
  Claim,
  ClaimRequest,
  Grip,
  Held,
  Inbox,
  Later,
  Made,
  Peeked,
  RecordId,
  Stored,
} from './inbox.ts';
export type { Append, Appended, Entity, Journal, Recorded } from './journal.ts';
export type {
  Account,
  Balance,
  BudgetId,
  Ended,
  Ledger,
  Reservation,
  Reserved,
  TryId,
} from './ledger.ts';
export type { Level, Log } from './log.ts';
export type { Fact, FactQuery, Memory } from './memory.ts';
export type { Model, ModelMessage, ModelReply, ModelRequest, ModelTool } from './model.ts';
export type { FileEntry, Files, Http, HttpRequest, HttpResponse } from './outside.ts';
export type { Ports } from './ports.ts';
export type { Random } from './random.ts';
export type { Blobs, DeadLetter, DeadLetters, Index } from './stores.ts';
