import { encodeJson, isJsonObject, type Json } from '@foldmesh/envelope';

/**
 * An event as the API tells it. What a model thought is between it and its provider, and is wanted back by nobody else: only how
 * many bytes it has is said. In the journal it stays as it came.
 */
export const withholdThoughts = (event: Json): Json =>
  isJsonObject(event) && event['reasoning'] !== undefined
    ? { ...event, reasoning: { withheld_bytes: encodeJson(event['reasoning']).length } }
    : event;
