import { hash } from 'node:crypto';

/** SHA-256 as 64 hex digits. Synchronous on purpose: `crypto.subtle` completes in thread order, which breaks a seed. */
export const sha256Hex = (data: string | Uint8Array): string => hash('sha256', data, 'hex');
