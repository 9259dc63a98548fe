import { limits } from '@foldmesh/envelope';

/** The bounds of the API, beside those of the wire and of jobs. Times are milliseconds. */
export const apiLimits = {
  bodyBytesMax: limits.bodyBytesMax,
  /** Of a body in YAML, of which a MiB takes a second to read; a plan of 10,000 tasks fits. */
  yamlBytesMax: 1024 * 1024,
  /** Things wrong with one request that are told; how many more there are is the last of them. */
  errorsMax: 100,
  /** Arrays and objects inside one another in a body. */
  nestingMax: limits.specNestingMax,
  keyLengthMax: 255,
  reasonLengthMax: 1_000,
  /** Jobs of one page of a list. */
  jobsPageMax: 200,
  jobsPageDefault: 50,
  /** Tasks in one page of a job's record. */
  tasksPageMax: 10_000,
  tasksPageDefault: 1_000,
  /** Entries, messages or artifacts of one page. */
  pageMax: 1_000,
  pageDefault: 100,
  /** What the entries or messages of one page weigh together, or one that is larger; there is a next page then. */
  pageBytesMax: 8 * 1024 * 1024,
  /** Of a text in a message, which is cut there: all of it is in the journal. */
  messageBytesMax: 64 * 1024,
  /** A silent event stream says so often that it lives: more often than any proxy gives up. */
  keepAliveMs: 15_000,
  /** How long a client waits for an answer, or for the first word of a stream, where it is not told otherwise. */
  answerMs: 30_000,
  /**
   * Characters of one frame that a client takes from an event stream. The longest is a reset, with 1,000 tasks of 5 KiB at
   * most and the job's whole result; a longer result is for who asks for the record.
   */
  frameLengthMax: 64 * 1024 * 1024,
} as const;
