/** Where the API listens, and the file of keys, where it asks for them. */
export interface ApiSettings {
  readonly address: string;
  readonly port: number;
  readonly keys?: string;
}

/** Whether nobody but this machine can reach an address. */
export const isLoopback = (address: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(address);

/** Why an API must not be opened like that; undefined where it may. Who can reach one without keys can run jobs. */
export const apiTooOpen = ({ address, keys }: ApiSettings): string | undefined =>
  keys === undefined && !isLoopback(address)
    ? `api.address: ${address} can be reached from elsewhere, so callers need keys: set api.keys (FOLDMESH_API_KEYS)`
    : undefined;

/** Who may call the API, as a sentence for people. */
export const apiAccess = ({ address, keys }: ApiSettings): string =>
  keys === undefined
    ? `this machine only (${address}), without a key, for none are configured (api.keys, FOLDMESH_API_KEYS)`
    : `whoever reaches ${address} with a key of ${keys}`;
