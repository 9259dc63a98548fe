import { problemsIn, sayProblem } from '@foldmesh/job';
import { type Agent, type AgentInput, WrittenAgent } from '@foldmesh/run';

/** An agent written in TypeScript: the very data that a YAML file would be. */
export interface DefinedAgent {
  readonly kind: 'agent';
  readonly name: string;
  readonly agent: Agent;
}

/** Declares an agent; throws, naming the field, on what is no agent. */
export const defineAgent = (definition: AgentInput): DefinedAgent => {
  const parsed = WrittenAgent.safeParse(definition);
  if (!parsed.success) {
    const problems = problemsIn(WrittenAgent, parsed.error.issues).map(sayProblem);
    throw new Error(`the agent ${definition.name}: ${problems.join('; ')}`);
  }
  const agent = parsed.data;
  return { kind: 'agent', name: agent.name, agent };
};
