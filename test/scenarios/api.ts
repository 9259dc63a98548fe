import { catalogueView, managerApp } from '@foldmesh/manager';
import type { Run } from './mesh.ts';

/** What the HTTP API of this mesh says under a path, as text; of an event stream all of it. */
export type AskApi = (path: string) => Promise<string>;

export const apiOf = async ({ ports, tenant }: Run): Promise<AskApi> => {
  const catalogue = catalogueView(ports);
  await catalogue.refresh();
  const app = managerApp({ ports, catalogue, durability: 'process', tenant });
  return async (path) => {
    const response = await app(new Request(`http://127.0.0.1:8080${path}`));
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.text();
  };
};
