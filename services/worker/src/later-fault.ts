import { type Fault, fault } from '@foldmesh/envelope';

/**
 * What a store's fault means to a task: the store was asked for a while and is away, so the whole message goes back and
 * no attempt is counted. What lies there and cannot be read is its own answer.
 */
export const laterFault = (failure: Fault): Fault =>
  failure.retry_after_ms === undefined
    ? failure
    : fault('unavailable', failure.detail, {
        source: failure.source ?? 'blobs',
        retry_after_ms: elsewhereMs,
      });

/** Long enough that the host hands the message back instead of trying again here. */
export const elsewhereMs = 3_000;
