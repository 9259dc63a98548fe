import { cut, type Key } from '@foldmesh/envelope';
import type { Log } from '@foldmesh/ports';
import type { RunEventOf } from '@foldmesh/run';
import type { ToolShelf } from './tool-shelf.ts';

const nameBytesShown = 100;

/**
 * What a model asked for and its agent may not call stands in the run's journal, and here for whoever watches the mesh. Only
 * here it is said whether somebody offers the tool: the model hears the same of both.
 */
export const logRefused = (
  log: Log,
  shelf: Pick<ToolShelf, 'find'>,
  { agent, tools, trace_id }: Pick<RunEventOf<'run-started'>, 'agent' | 'tools' | 'trace_id'>,
  key: Key,
  calls: readonly { readonly name: string }[],
): void => {
  const allowed = new Set(tools.map(({ name }) => name));
  for (const { name } of calls)
    if (!allowed.has(name))
      log('warn', 'refused a tool that an agent may not call', {
        key,
        trace_id,
        agent: agent.name,
        tool: cut(name, nameBytesShown),
        offered: shelf.find(name) !== undefined,
      });
};
