import { join } from 'node:path';
import { PoolName } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import type { Service } from '@foldmesh/runtime';
import type { Tool } from '@foldmesh/sdk';
import { type Config, systemFiles, systemHttp } from '@foldmesh/system';
import { hostSettingsOf, type Setup } from '@foldmesh/worlds';
import { filesTools } from './files-tools.ts';
import { httpTool } from './http-tool.ts';
import { personTool } from './person-tool.ts';
import { gatewayService } from './service.ts';

/** The gateway as its configuration has it: the tools that everybody has, and those of its folder. */
export const configuredGateway = (ports: Ports, { config, definitions }: Setup): Service =>
  gatewayService(ports, {
    pool: PoolName.parse(config.pool),
    slots: config.gateway.slots,
    tools: [...builtInTools(config), ...definitions.tools],
    host: hostSettingsOf(config),
  });

/** What every gateway can do, on this machine's files and network. */
export const builtInTools = (
  config: Pick<Config, 'files_root' | 'output' | 'http'>,
): readonly { readonly definition: Tool }[] => {
  const { allow } = config.http;
  const http = systemHttp(allow === undefined ? {} : { allow });
  return [
    ...filesTools({
      root: systemFiles(config.files_root),
      output: (tenant, job) => systemFiles(outputFolder(config, tenant, job)),
    }),
    httpTool({ http, ...(allow !== undefined && { allow }) }),
    personTool(),
  ].map((definition) => ({ definition }));
};

/** Where the files of a job are, once it has written some. */
export const outputFolder = ({ output }: Pick<Config, 'output'>, tenant: string, job: string): string =>
  join(output, tenant, job);
