import type { TopologySettings } from '@foldmesh/jetstream';
import type { Config } from '@foldmesh/system';

/** How the configuration wants the streams. */
export const topologySettings = ({ nats, ack_wait_ms, admission }: Config): Partial<TopologySettings> => ({
  replicas: nats.replicas,
  ackWaitMs: ack_wait_ms,
  doorMessagesMax: admission.door_max,
  journalBytesMax: nats.journal_bytes_max ?? -1,
  workBytesMax: nats.work_bytes_max ?? -1,
});
