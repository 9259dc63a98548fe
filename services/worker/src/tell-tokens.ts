import {
  encodeJson,
  type Key,
  liveSubject,
  positionOf,
  soundText,
  type TokenDelta,
} from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';

/** Tells what a model says in one try at a turn. */
export interface TokenTeller {
  hear(text: string): void;
  /** What has not been told yet is told. */
  end(): void;
}

/** Between two pieces at least, milliseconds: no eye is faster. */
const pauseMs = 50;

/** The longest piece; who says more at once is told at once. UTF-16 units. */
const pieceMax = 2_048;

/**
 * Tells whoever watches the job, without promise: what is kept here is what comes together within a moment. Once `over` is
 * aborted it tells nothing more: whoever goes on speaking after its try would be taken for the next one.
 */
export const tokenTeller = (
  { bus, clock }: Pick<Ports, 'bus' | 'clock'>,
  key: Key,
  over: AbortSignal,
): TokenTeller => {
  const { tenant, job, task, round, step } = positionOf(key);
  const subject = liveSubject(tenant, job);
  let at = 0;
  let last = Number.NEGATIVE_INFINITY;
  let waiting = '';
  const tell = (length: number): void => {
    const text = soundText(waiting.slice(0, length));
    const news: TokenDelta = { kind: 'token-delta', task, round, step: Number(step), at, text };
    bus.cast(subject, encodeJson(news));
    at += length;
    waiting = waiting.slice(length);
    last = clock.monotonic();
  };
  return {
    hear(text) {
      if (over.aborted) return;
      waiting += text;
      const isTime = clock.monotonic() - last >= pauseMs;
      for (let length = pieceIn(waiting); length > 0; length = pieceIn(waiting)) {
        if (!isTime && length < pieceMax - 1) return;
        tell(length);
      }
    },
    end() {
      while (!over.aborted && waiting !== '') tell(pieceIn(waiting) || waiting.length);
    },
  };
};

/** How much of a text goes into one piece: the second half of its last character may be still to come. */
const pieceIn = (text: string): number => {
  const length = Math.min(text.length, pieceMax);
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(length - 1));
  return isHalf ? length - 1 : length;
};
