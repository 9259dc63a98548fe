import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

const encoder = new TextEncoder();

/** SHA-256 as 64 hex digits. Synchronous on purpose: `crypto.subtle` completes in thread order, which breaks a seed. */
export const sha256Hex = (text: string | Uint8Array): string =>
  bytesToHex(sha256(typeof text === 'string' ? encoder.encode(text) : text));
