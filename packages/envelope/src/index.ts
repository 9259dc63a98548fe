export { type Body, catalogue, isType, type Kind, kindOf, type Lane, type Type } from './catalogue.ts';
export { decodeJson, decodeUtf8, encodeJson } from './codec.ts';
export { sha256Hex } from './digest.ts';
export { Entry } from './entry.ts';
export {
  type Address,
  type Draft,
  type Envelope,
  EnvelopeBody,
  Party,
  partyOf,
  type Queue,
  type Sealed,
  ServiceName,
} from './envelope.ts';
export { cut, Fault, FaultKind, fail, fault, ok, type Result } from './fault.ts';
export { fingerprint } from './fingerprint.ts';
export { type MeshHeaders, type RawHeaders, readHeaders, writeHeaders } from './headers.ts';
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
  traceIdFrom,
  WireId,
  wireIdOf,
} from './ids.ts';
export { Defect, invariant } from './invariant.ts';
export { canonicalJson, isJsonObject, type Json, type JsonObject, json, nestsDeeperThan } from './json.ts';
export { Key, keyOf, type Position, positionOf } from './key.ts';
export { lift, liftWith } from './lift.ts';
export { limits } from './limits.ts';
export { MemoryQuery, MemoryWrite } from './memory-call.ts';
export { ModelUsage, RepliedCall, Reply } from './model-call.ts';
export { firstIssue, isNewer, type Outer, openOuter, openPayload } from './open.ts';
export { BlobRef, Carried, OpenCall, Outcome, Run, RunKind, Usage } from './outcome.ts';
export { type Seal, type Stamp, seal } from './seal.ts';
export { brokenIn, soundJson, soundText } from './sound.ts';
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
