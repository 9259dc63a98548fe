import type { CatalogueListing } from '@foldmesh/client';
import { meantText } from '@foldmesh/job';

/** An agent that is defined here, and the tools that gateways have to offer before it can run. */
export interface LocalAgent {
  readonly name: string;
  readonly file: string;
  readonly needs: readonly string[];
}

/** What is known of agents and tools. */
export interface Around {
  readonly agents: readonly LocalAgent[];
  /** Tools that come with foldmesh, and those that files here define. */
  readonly tools: readonly string[];
  /** The mesh that was reached, and what its pools offer. */
  readonly mesh?: { readonly url: string; readonly offers: CatalogueListing['offers'] } | undefined;
}

const mend = 'correct the name, or define the tool in the folder that the setting tools names';

/** One sentence for each tool that an agent names and nobody offers: a run of that agent would fail each time. */
export const toolProblems = ({ agents, tools, mesh }: Around): readonly string[] => {
  const offers = mesh?.offers ?? [];
  const offered = offers.filter(({ kind }) => kind === 'tool').map(({ name }) => name);
  const known = [...new Set([...tools, ...offered])];
  const beside = mesh === undefined ? '' : `, nor offered by ${mesh.url}`;
  const here = agents.flatMap(({ name, file, needs }) =>
    needs
      .filter((tool) => !known.includes(tool))
      .map(
        (tool) =>
          `${file}: agent ${name} names the tool ${tool}, which is neither built in nor defined here${beside}: ${mend}${meantText(tool, known)}`,
      ),
  );
  const there = offers
    .filter(({ kind, name }) => kind === 'agent' && !agents.some((agent) => agent.name === name))
    .flatMap(({ name, needs_tools = [] }) =>
      needs_tools
        .filter((tool) => !offered.includes(tool))
        .map(
          (tool) =>
            `${mesh?.url}: agent ${name} names the tool ${tool}, which nobody offers: ${mend}${meantText(tool, offered)}`,
        ),
    );
  return [...here, ...there];
};
