import type { Digest, Instant, JobId, Queue, TenantId } from '@foldmesh/envelope';
import type { Memory, Ports } from '@foldmesh/ports';
import { blobsOn } from './embedded-blobs.ts';
import { busOn } from './embedded-bus.ts';
import { deadLettersOn } from './embedded-dead-letters.ts';
import { inboxOn } from './embedded-inbox.ts';
import { indexOn } from './embedded-index.ts';
import { journalOn } from './embedded-journal.ts';
import { memoryOn } from './embedded-memory.ts';
import type { FaultCounts } from './faults.ts';
import { type EmbeddedWorld, standOf } from './stand.ts';

/** The ports that need no outside world. */
export interface Embedded extends Pick<Ports, 'bus' | 'journal' | 'inbox' | 'blobs' | 'index' | 'dead'> {
  /** Beside the ports of every service: only the memory service takes it. */
  readonly memory: Memory;
  /** How often each fault was injected so far, over all of these ports. */
  injected(): FaultCounts;
  /** From here on none is injected: what a mesh owes then, it owes without an excuse. */
  heal(): void;
}

/** What no service may do to its stores or see of them, and a simulation or a test must. */
export interface EmbeddedDoors {
  /** The inbox loses all it knows, and its generation mark changes. */
  forgetAll(): void;
  /** A replica of the inbox takes over, which lacks what was written last, and its generation mark changes. */
  failOver(): void;
  /** Claims of the inbox whose lease still runs. */
  leases(): number;
  /** Whether the inbox has a job's mark: its work may not begin any more. */
  isHalted(tenant: TenantId, job: JobId): boolean;
  /** Damages the stored bytes of a blob. */
  spoil(tenant: TenantId, job: JobId, digest: Digest): void;
  /** Deletes a stored blob. */
  lose(tenant: TenantId, job: JobId, digest: Digest): void;
  /** Nobody is given anything of this queue until then. */
  pause(queue: Queue, until: Instant): void;
}

/** One mesh's stores, all on one clock and one source of chance. */
export const embedded = (world: EmbeddedWorld): Embedded => openEmbedded(world).ports;

export const openEmbedded = (
  world: EmbeddedWorld,
): { readonly ports: Embedded; readonly doors: EmbeddedDoors } => {
  const stand = standOf(world);
  const bus = busOn(stand);
  const inbox = inboxOn(stand);
  const blobs = blobsOn(stand);
  return {
    ports: {
      bus: bus.port,
      journal: journalOn(stand),
      inbox: inbox.port,
      blobs: blobs.port,
      index: indexOn(stand),
      dead: deadLettersOn(stand),
      memory: memoryOn(stand),
      injected: stand.dice.counts,
      heal: stand.dice.heal,
    },
    doors: {
      forgetAll: inbox.forgetAll,
      failOver: inbox.failOver,
      leases: inbox.leases,
      isHalted: inbox.isHalted,
      spoil: blobs.spoil,
      lose: blobs.lose,
      pause: bus.pause,
    },
  };
};
