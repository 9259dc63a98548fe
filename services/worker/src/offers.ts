import {
  canonicalJson,
  type Digest,
  type Json,
  type JsonObject,
  type PoolName,
  sha256Hex,
} from '@foldmesh/envelope';
import type { Agent } from '@foldmesh/run';
import { outputKeysOf, type Skill, type Targets } from '@foldmesh/sdk';
import { memoryTools } from './memory-tools.ts';

/** A definition and the digest of what it was loaded from. */
export interface Defined<T> {
  readonly definition: T;
  readonly digest: Digest;
}

/** What this worker's pool can carry out, as the catalogue lists it. */
export const workerOffers = (
  skills: readonly Defined<Skill>[],
  pipelines: ReadonlyMap<string, Json>,
  agents: readonly Defined<Agent>[],
  pool: PoolName,
  slots: number,
): JsonObject => ({
  service: 'worker',
  pool,
  slots,
  offers: [
    ...skills.map(({ definition, digest }) => {
      const keys = outputKeysOf(definition.output);
      return {
        kind: 'skill',
        name: definition.name,
        digest,
        ...(keys !== undefined && { output_keys: [...keys] }),
      };
    }),
    ...agents.map(({ definition, digest }) => {
      const needs = toolsNeeded(definition);
      return {
        kind: 'agent',
        name: definition.name,
        digest,
        ...(needs.length > 0 && { needs_tools: [...needs] }),
      };
    }),
    ...[...pipelines].map(([name, pipeline]) => ({
      kind: 'pipeline',
      name,
      digest: sha256Hex(canonicalJson(pipeline)),
    })),
  ],
});

/** The tools of an agent that gateways have to offer: memory's come with every worker. */
export const toolsNeeded = ({ tools }: Agent): readonly string[] =>
  tools.filter((name) => !memoryTools.has(name));

/** What a pipeline carried out here can refer to. Tools are the gateway's: it answers for their names. */
export const targetsOf = (skills: ReadonlyMap<string, Skill>): Targets => ({
  skill: (name) => {
    const skill = skills.get(name);
    return skill === undefined ? undefined : { outputKeys: outputKeysOf(skill.output) };
  },
  tool: () => ({}),
});
