import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig } from '@nats-io/jetstream';
import { nanosOf } from './nanos.ts';
import type { TopologySettings } from './settings.ts';

/** The streams, all that a mesh keeps in NATS. */
export const streamNames = {
  submit: 'MESH_SUBMIT',
  work: 'MESH_WORK',
  journal: 'MESH_JOURNAL',
  index: 'MESH_INDEX',
  blobs: 'MESH_BLOBS',
  dead: 'MESH_DEAD',
} as const;

export type WantedStream = Partial<StreamConfig> & Pick<StreamConfig, 'name' | 'subjects'>;

const dayMs = 24 * 60 * 60 * 1000;
const deadDays = 30;

/**
 * The one list of streams. The door and the work are two: in one, a queue that is full could not settle, so not ack, so
 * never drain. Nothing here is allowed to push out what was stored before it (`discard: new`), but in the index, where the
 * last value is all that counts, and among the dead, which age.
 */
export const wantedStreams = (settings: TopologySettings): readonly WantedStream[] => {
  const queue = {
    ...kept(settings),
    retention: RetentionPolicy.Workqueue,
    // A re-send meets its original; the next attempt has a subject of its own.
    max_msgs_per_subject: 1,
    discard_new_per_subject: true,
  };
  return [
    {
      ...queue,
      name: streamNames.submit,
      subjects: ['mesh.v1.*.submit.*.*'],
      max_msgs: settings.doorMessagesMax,
    },
    {
      ...queue,
      name: streamNames.work,
      subjects: ['mesh.v1.*.work.>'],
      max_bytes: settings.workBytesMax,
    },
    {
      ...kept(settings),
      name: streamNames.journal,
      subjects: ['mesh.v1.*.journal.*.>'],
      max_bytes: settings.journalBytesMax,
      // It shrinks by whole jobs, which is a purge of their subjects.
      deny_delete: true,
    },
    {
      ...kept(settings),
      name: streamNames.index,
      // The services are named one by one: a wildcard there would meet the queue of a tenant called "catalogue".
      subjects: ['mesh.v1.*.index.>', ...['manager', 'worker', 'tool-gateway', 'memory'].map(ofService)],
      max_msgs_per_subject: 1,
      discard: DiscardPolicy.Old,
    },
    {
      ...kept(settings),
      name: streamNames.blobs,
      subjects: ['mesh.v1.*.blob.*.>'],
      max_msgs_per_subject: 1,
      discard_new_per_subject: true,
    },
    {
      ...kept(settings),
      name: streamNames.dead,
      subjects: ['mesh.v1.*.dead.*.*'],
      max_age: nanosOf(deadDays * dayMs),
    },
  ];
};

const ofService = (service: string): string => `mesh.v1.catalogue.${service}.*.*`;

/** What all streams have in common: files, no age, no limit of their own, and nothing is pushed out. */
const kept = ({ replicas, duplicateWindowMs }: TopologySettings) => ({
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  num_replicas: replicas,
  discard: DiscardPolicy.New,
  discard_new_per_subject: false,
  max_msgs: -1,
  max_bytes: -1,
  max_age: 0,
  max_msg_size: -1,
  max_msgs_per_subject: -1,
  duplicate_window: nanosOf(duplicateWindowMs),
  deny_delete: false,
  deny_purge: false,
  sealed: false,
});

/** Where another value breaks a promise; any other difference is a matter of how well it runs. */
export const essentialSettings: ReadonlySet<string> = new Set([
  'retention',
  'storage',
  'subjects',
  'discard',
  'discard_new_per_subject',
  'max_age',
  'max_msgs_per_subject',
  'duplicate_window',
  'deny_purge',
  'sealed',
]);
