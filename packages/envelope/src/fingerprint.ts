import { kindOf, type Type } from './catalogue.ts';
import { sha256Hex } from './digest.ts';
import type { Digest } from './ids.ts';
import { canonicalJson, type JsonObject } from './json.ts';

/**
 * What was asked, as 64 hex digits: SHA-256 of the canonical JSON of type and payload, less the fields that only
 * carry. The same key with another fingerprint is an error that both sides see.
 */
export const fingerprint = (type: Type, payload: unknown): Digest => {
  const carries = kindOf(type).carries ?? [];
  const identity = carries.length === 0 ? payload : without(payload as JsonObject, carries); // only object payloads carry
  return sha256Hex(canonicalJson({ type, payload: identity })) as Digest; // 64 hex digits by construction
};

const without = (payload: JsonObject, fields: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(payload).filter(([name]) => !fields.includes(name)));
