export { type Fault, type FaultKind, fail, fault, type Json, ok, type Result } from '@foldmesh/envelope';
export { z } from 'zod';
export { checkPipeline, outputKeysOf, Pipeline, type Step, type Target, type Targets } from './pipeline.ts';
export { renderPipelineText } from './pipeline-text.ts';
export { defineSkill, failed, type Skill, type SkillCall, SkillFault } from './skill.ts';
export { defineTool, type EffectClass, type Tool, type ToolCall } from './tool.ts';
