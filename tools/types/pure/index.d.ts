// The whole outside world of a pure package: what is here gives the same answer in every world and on every replay.
// `AbortSignal.timeout` is left out on purpose, it reads the clock; deadlines come through the `Clock` port.

interface Event {
  readonly type: string;
  readonly target: EventTarget | null;
}

type EventListener = (event: Event) => void;

interface EventTarget {
  addEventListener(type: string, listener: EventListener, options?: { readonly once?: boolean }): void;
  removeEventListener(type: string, listener: EventListener): void;
}

interface AbortSignal extends EventTarget {
  readonly aborted: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the platform's own type; whoever reads a reason narrows it first.
  readonly reason: any;
  throwIfAborted(): void;
}

declare var AbortSignal: {
  readonly prototype: AbortSignal;
  abort(reason?: unknown): AbortSignal;
  any(signals: Iterable<AbortSignal>): AbortSignal;
};

interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

declare var AbortController: {
  readonly prototype: AbortController;
  new (): AbortController;
};

interface TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>;
}

declare var TextEncoder: {
  readonly prototype: TextEncoder;
  new (): TextEncoder;
};

interface TextDecoder {
  decode(bytes?: ArrayBuffer | ArrayBufferView): string;
}

declare var TextDecoder: {
  readonly prototype: TextDecoder;
  new (label?: 'utf-8', options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean }): TextDecoder;
};

/** Of all that the platform's module has, the one function whose answer depends on its arguments alone. */
declare module 'node:crypto' {
  export function hash(algorithm: 'sha256', data: string | Uint8Array, encoding: 'hex'): string;
}
