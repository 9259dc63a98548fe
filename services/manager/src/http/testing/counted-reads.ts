import type { Ports } from '@foldmesh/ports';

/** Ports that count how often pages of a journal are read through them, and from where; a test may empty the list. */
export const countedReads = (ports: Ports): { readonly reads: number[]; readonly ports: Ports } => {
  const reads: number[] = [];
  const read: Ports['journal']['read'] = (entity, from, limit) => {
    reads.push(from);
    return ports.journal.read(entity, from, limit);
  };
  return { reads, ports: { ...ports, journal: { ...ports.journal, read } } };
};
