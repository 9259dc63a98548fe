/** Every bound of the wire in one place. Bytes are of UTF-8, times are milliseconds. */
export const limits = {
  /** What one message may weigh before its payload goes by claim check. */
  inlineBytesMax: 256 * 1024,
  /** What a body may weigh at all, claim check or not: an HTTP request, a payload behind a reference. */
  bodyBytesMax: 8 * 1024 * 1024,
  /** Arrays and objects inside one another; checked on the bytes, before anything parses. */
  nestingMax: 64,
  /** Names and values of all headers of one message together. */
  headerBytesMax: 4 * 1024,
  /** Levels of what a client sends: the envelope around it and a task's input inside it need the rest. */
  specNestingMax: 56,
  /** A result above this travels by reference, so that a job's state stays flat. */
  resultBytesInlineMax: 256,
  faultDetailBytesMax: 4 * 1024,
  nameLengthMax: 128,
  childNestingMax: 4,
  /** Tasks in one `task.assign`. */
  assignmentTasksMax: 256,
  assignmentBytesMax: 64 * 1024,
  /** Calls in one turn of a model. */
  turnCallsMax: 128,
  /** How long a request may run unless a tool or skill declares more. */
  requestMs: 10 * 60 * 1000,
  /** One epoch: after this long without an answer the same thing is sent again. */
  epochMs: 30_000,
} as const;
