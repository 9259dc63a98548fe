import type { Ports } from '@foldmesh/ports';
import type { Service } from '@foldmesh/runtime';
import { hostSettingsOf, type Setup } from '@foldmesh/worlds';
import { managerService } from './service.ts';

/** A manager as its configuration has it. */
export const configuredManager = (ports: Ports, { config }: Pick<Setup, 'config'>): Service =>
  managerService(ports, {
    host: hostSettingsOf(config),
    admission: { backlogMax: config.admission.backlog_max },
  });
