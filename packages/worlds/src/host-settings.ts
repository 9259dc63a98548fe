import { type HostSettings, hostSettings } from '@foldmesh/runtime';
import type { Config } from '@foldmesh/system';

/** The hosts' settings, with the times of the world that they run in. */
export const hostSettingsOf = (config: Pick<Config, 'ack_wait_ms'>): HostSettings => ({
  ...hostSettings,
  ackWaitMs: config.ack_wait_ms,
});
