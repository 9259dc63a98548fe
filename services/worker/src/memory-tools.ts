import { type Json, MemoryQuery, MemoryWrite } from '@foldmesh/envelope';
import { z } from 'zod';
import type { ShelfTool } from './shelf-tool.ts';

const tool = (name: string, description: string, schema: z.ZodType): readonly [string, ShelfTool] => [
  name,
  {
    run: { name, by: 'memory', terminal: false },
    told: {
      name,
      description,
      // A JSON Schema is JSON.
      schema: z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json,
    },
  },
];

/** Memory as an agent sees it: two tools, whose calls go to the memory service instead of the gateway. */
export const memoryTools: ReadonlyMap<string, ShelfTool> = new Map([
  tool('memory.write', 'Remembers a fact for later tasks and jobs.', MemoryWrite),
  tool('memory.query', 'Recalls facts that were remembered, best first.', MemoryQuery),
]);
