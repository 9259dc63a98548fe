import { catalogueRoot, Instant, type Json, Name, ok, PoolName, type Result } from '@foldmesh/envelope';
import type { ModelTool, Ports } from '@foldmesh/ports';
import { answerTool, type RunTool } from '@foldmesh/run';
import { heardOffers } from '@foldmesh/runtime';
import { z } from 'zod';
import { memoryTools } from './memory-tools.ts';
import type { ShelfTool } from './shelf-tool.ts';

/** What gateways and memory offer, as far as it has been read. */
export interface ToolShelf {
  find(name: string): ShelfTool | undefined;
  /** A fault where it cannot be read; then what was offered before stays. */
  refresh(): Promise<Result<void>>;
}

const GatewayOffers = z.object({
  service: z.literal('tool-gateway'),
  pool: PoolName,
  at: Instant.optional(),
  offers: z.array(
    z.object({
      kind: z.literal('tool'),
      name: Name,
      description: z.string().optional(),
      terminal: z.boolean().optional(),
      input_schema: z.custom<Json>((value) => value !== undefined),
    }),
  ),
});
type GatewayOffers = z.infer<typeof GatewayOffers>;

export const toolShelf = ({ index, log }: Pick<Ports, 'index' | 'log'>): ToolShelf => {
  let offered = new Map<string, ShelfTool>();
  const heard = heardOffers<GatewayOffers>();
  return {
    find: (name) => memoryTools.get(name) ?? offered.get(name),
    async refresh() {
      const listed = await index.list(`${catalogueRoot}tool-gateway.`);
      if (!listed.ok) {
        log('warn', 'the tools on offer cannot be read', { fault: listed.fault.detail });
        return listed;
      }
      const next = new Map<string, ShelfTool>();
      const shown = new Map<string, GatewayOffers>();
      for (const { subject, value } of listed.value) {
        const parsed = GatewayOffers.safeParse(value);
        if (parsed.success) shown.set(subject, parsed.data);
      }
      // The newest comes last: of two builds of a tool it is the one that models are told of.
      for (const gateway of heard.hear(shown).toReversed()) {
        for (const tool of gateway.offers) {
          const { name, description = '', terminal = false, input_schema: schema } = tool;
          const run: RunTool = { name, by: 'gateway', terminal, pool: gateway.pool };
          next.set(name, { run, told: { name, description, schema } });
        }
      }
      offered = next;
      return ok(undefined);
    },
  };
};

/** How the model gives an answer of a declared shape. */
export const answerToolOf = (schema: Json): ModelTool => ({
  name: answerTool,
  description: 'Gives the final answer and ends the task. Call it once, alone, when you are done.',
  schema,
});
