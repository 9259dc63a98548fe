import { type Fault, fault } from '@foldmesh/envelope';
import type { Host } from '@foldmesh/runtime';
import { elsewhereMs } from './later-fault.ts';

/** The fault of a task whose definition this worker does not have. */
export type Lacks = (kind: string, name: string) => Fault;

/**
 * Somebody else in this pool may have it: a newer build, while an older one still runs. So the task goes back, again and
 * again if need be; each name is warned of once, for a pool whose workers stay different only crawls.
 */
export const lackingNames = ({ party, ports }: Host): Lacks => {
  const warned = new Set<string>();
  return (kind, name) => {
    const lacking = `${kind} ${name}`;
    if (!warned.has(lacking))
      ports.log('warn', 'handed back what this worker lacks and its pool offers', {
        lacking,
        of: party,
        mend: 'give all workers of the pool the same folders',
      });
    warned.add(lacking);
    return fault('unavailable', `this worker has no ${lacking}`, {
      source: 'definitions',
      retry_after_ms: elsewhereMs,
    });
  };
};
