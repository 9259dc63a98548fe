import type { Json, Result } from '@foldmesh/envelope';

/** A tool as a model is told of it; `schema` is JSON Schema of its arguments. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly schema: Json;
}

/** What is said to a model, oldest first. Ids pair a call with its one result. */
export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      /** As it came, before the text and the calls of its turn: a provider that signs it refuses any other. */
      readonly reasoning?: Json;
      readonly calls: readonly { readonly id: string; readonly name: string; readonly input: Json }[];
    }
  | {
      readonly role: 'tool';
      readonly call: string;
      readonly name: string;
      readonly text: string;
      readonly failed: boolean;
    };

export interface ModelRequest {
  readonly model: string;
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
}

export interface ModelReply {
  readonly text: string;
  /** What the provider wants back unchanged. */
  readonly reasoning?: Json;
  readonly calls: readonly {
    readonly name: string;
    readonly input: Json;
    /** Why the arguments cannot be read, in words that tell the model how to mend it. */
    readonly problem?: string;
  }[];
  /** Tokens; null where the provider did not say. */
  readonly usage: { readonly input_tokens: number | null; readonly output_tokens: number | null };
}

/** One request, one reply. Retries, limits and time-outs are the middleware's: an adapter makes one try. */
export interface Model {
  /** `hear` is told the reply's text as it comes, piece by piece, by a model that can. What counts is the reply. */
  reply(
    request: ModelRequest,
    signal: AbortSignal,
    hear?: (text: string) => void,
  ): Promise<Result<ModelReply>>;
}
