export { type Fault, type FaultKind, fail, fault, type Json, ok, type Result } from '@foldmesh/envelope';
export { z } from 'zod';
export { type DefinedAgent, defineAgent } from './agent.ts';
export { factLimits, factOverflow, Recalled, Recollection, Remembered } from './memory.ts';
export { checkPipeline, outputKeysOf, Pipeline, type Step, type Target, type Targets } from './pipeline.ts';
export { renderPipelineText } from './pipeline-text.ts';
export {
  defineSkill,
  failed,
  type Skill,
  type SkillCall,
  SkillFault,
  type ToRecall,
  type ToRemember,
} from './skill.ts';
export { defineTool, type EffectClass, Pause, pause, type Tool, type ToolCall } from './tool.ts';
