/** A copy: the client's buffers, and those of a caller, are used again. `slice` of a `Buffer` would share its memory. */
export const ownBytes = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);
