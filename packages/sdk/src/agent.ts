import { Agent, type AgentInput } from '@foldmesh/run';

/** An agent written in TypeScript: the very data that a YAML file would be. */
export interface DefinedAgent {
  readonly kind: 'agent';
  readonly name: string;
  readonly agent: Agent;
}

/** Declares an agent; throws, naming the field, on what is no agent. */
export const defineAgent = (definition: AgentInput): DefinedAgent => {
  const agent = Agent.parse(definition);
  return { kind: 'agent', name: agent.name, agent };
};
