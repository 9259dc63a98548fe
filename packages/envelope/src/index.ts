export { type Amounts, checkAmounts, positive } from './amounts.ts';
export { type Body, catalogue, isType, type Kind, kindOf, type Lane, type Type } from './catalogue.ts';
export { decodeJson, decodeUtf8, encodeFields, encodeJson, encodeText, joinBytes } from './codec.ts';
export { sha256Hex } from './digest.ts';
export { Entry, readStoredEntry } from './entry.ts';
export { type Draft, type Envelope, EnvelopeBody, type Sealed } from './envelope.ts';
export { factWords } from './fact-words.ts';
export { cut, Fault, FaultKind, fail, fault, ok, type Result } from './fault.ts';
export { fingerprint } from './fingerprint.ts';
export { Headers, type MeshHeaders, type RawHeaders, readHeaders, writeHeaders } from './headers.ts';
export {
  CommandId,
  childOf,
  Digest,
  digestOf,
  Instant,
  JobId,
  jobTask,
  Name,
  PoolName,
  shardOf,
  TaskId,
  TaskName,
  TenantId,
  TraceId,
  tokenPattern,
  traceIdFrom,
  WireId,
  wireIdOf,
} from './ids.ts';
export { Defect, invariant, StoredDefect } from './invariant.ts';
export { canonicalJson, isJsonObject, type Json, type JsonObject, json, nestsDeeperThan } from './json.ts';
export { Key, keyOf, type Position, positionOf } from './key.ts';
export { lift, liftWith } from './lift.ts';
export type { Lifts } from './lifts.ts';
export { limits } from './limits.ts';
export { MemoryQuery, MemoryWrite } from './memory-call.ts';
export { ModelUsage, RepliedCall, Reply } from './model-call.ts';
export { firstIssue, isNewer, type Outer, openOuter, openPayload } from './open.ts';
export { BlobRef, Carried, OpenCall, Outcome, Run, RunKind, Usage } from './outcome.ts';
export { type Address, Party, partyOf, type Queue, ReplySubject, ServiceName } from './party.ts';
export { type Seal, type Stamp, seal } from './seal.ts';
export { sealFit } from './seal-fit.ts';
export { settleDraft } from './settle-draft.ts';
export { brokenIn, soundJson, soundText } from './sound.ts';
export { LetterElsewhere, StoredLetter } from './stored-letter.ts';
export { liftsBy, storedReader } from './stored-reader.ts';
export {
  blobSubject,
  catalogueRoot,
  catalogueSubject,
  deadSubject,
  indexedAt,
  indexPrefix,
  indexRoot,
  indexSubject,
  type JobPosition,
  journalOf,
  journalPattern,
  journalSubject,
  type RunPosition,
} from './stored-subjects.ts';
export {
  cancelPattern,
  cancelSubject,
  consumedBy,
  liveSubject,
  managerPattern,
  managerSubject,
  queueOf,
  replySubject,
  workSubject,
} from './subject.ts';
export { Binding, ItemSlice, Path, TaskAssign, TaskPart } from './task-assign.ts';
export { Probed, TaskResult, TaskSettle } from './task-settle.ts';
export { TokenDelta } from './token-delta.ts';
