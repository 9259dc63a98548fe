import { cut, type Fault, fault, type Instant, limits } from '@foldmesh/envelope';
import { runtimeLimits } from './settings.ts';

/** The source of a fault that says that a value is gone: its store answers, and does not have it, or has other bytes. */
export const goneSource = 'gone';

export const isGone = ({ source }: Fault): boolean => source === goneSource;

/** What a blob store's fault means: that it has not got the value, or that it is away. */
export const blobFault = (failure: Fault): Fault =>
  failure.kind === 'invalid'
    ? fault('invalid', `a value is gone: ${failure.detail}`, { source: goneSource })
    : failure;

/** The same fault, with the place where the value was wanted. */
export const faultAt = (where: string, failure: Fault): Fault => ({
  ...failure,
  detail: cut(`${where}: ${failure.detail}`, limits.faultDetailBytesMax),
});

/**
 * That a value is gone is believed once it has been referred to for a while; before, whoever says so may be a leader
 * that is none any more, or one that has not caught up (ADR 35). Until then it is like a store that is away.
 */
export const believed = (failure: Fault, referredAt: Instant, now: Instant): Fault =>
  isGone(failure) && now - referredAt < runtimeLimits.goneAfterMs
    ? fault('unavailable', `${failure.detail}; it may only be late`, {
        source: 'blobs',
        retry_after_ms: runtimeLimits.lateAgainMs,
      })
    : failure;
