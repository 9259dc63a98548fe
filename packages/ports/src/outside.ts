import type { Result } from '@foldmesh/envelope';

export interface FileEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  /** Of a file. */
  readonly bytes?: number;
}

/**
 * Files below one root. Every path is relative to it; one that leads out (by `..`, by being absolute, or through a
 * link, also one swapped in meanwhile) is `refused`, one that is not there `invalid`.
 */
export interface Files {
  /** Sorted by name; `invalid` if it is no directory, `overflow` above `entriesMax`. */
  list(path: string, entriesMax: number): Promise<Result<readonly FileEntry[]>>;
  /** At most `bytesMax` from the start, and how long the file is. */
  read(
    path: string,
    bytesMax: number,
  ): Promise<Result<{ readonly bytes: Uint8Array; readonly size: number }>>;
  /** Replaces the file as a whole or not at all; makes the folders it needs. */
  write(path: string, bytes: Uint8Array): Promise<Result<void>>;
}

export interface HttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** More is not read: the answer is `overflow`. */
  readonly bytesMax: number;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Http {
  get(request: HttpRequest, signal: AbortSignal): Promise<Result<HttpResponse>>;
}
