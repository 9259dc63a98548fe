import type { ModelTool } from '@foldmesh/ports';
import type { RunTool } from '@foldmesh/run';

/** A tool that agents of this pool may name: how a run uses it, and how a model is told of it. */
export interface ShelfTool {
  readonly run: RunTool;
  readonly told: ModelTool;
}
