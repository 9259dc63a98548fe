import { fail, ok, type Result, TenantId } from '@foldmesh/envelope';
import type { Clock, Log } from '@foldmesh/ports';
import type { Config } from '@foldmesh/system';
import { keysFileAt } from './keys-file.ts';
import { type Keys, watchedKeys } from './watched-keys.ts';

/** Who may call an API. */
export interface ApiAccess {
  /** Whose jobs those are that are asked for without a key. */
  readonly tenant: TenantId;
  /** Where there are keys each request needs one, but those of health. */
  readonly keys?: Keys;
  /** Names that it may be called by; any where nothing is said. */
  readonly hosts?: readonly string[];
}

/** An access that is in force until it is disposed. */
export interface OpenAccess extends AsyncDisposable {
  readonly access: ApiAccess;
  /** What somebody should hear of, though all works. */
  remarks(): readonly string[];
}

/** Where callers need no key, nobody may reach it from elsewhere, nor under a name that somebody else made point here. */
const loopbackNames: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

const local = TenantId.parse('local');

/**
 * Who may call, by the configuration. Without a file of keys it is whoever is on this machine, as the tenant `local`; a
 * file that cannot be read is a reason not to start.
 */
export const openAccess = async (
  { api }: Pick<Config, 'api'>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<Result<OpenAccess>> => {
  if (api.keys === undefined)
    return ok({
      access: { tenant: local, hosts: [...loopbackNames, api.address] },
      remarks: () => [],
      [Symbol.asyncDispose]: async () => undefined,
    });
  const keys = await watchedKeys(keysFileAt(api.keys), { clock, log });
  if (!keys.ok) {
    const { kind, detail } = keys.fault;
    // Not there, or not a file of keys: both are told as what they are, a setting that has to be another.
    const refused = kind === 'invalid' ? 'refused' : kind;
    return fail({ ...keys.fault, kind: refused, detail: `api.keys (FOLDMESH_API_KEYS): ${detail}` });
  }
  return ok({
    access: { tenant: local, keys: keys.value },
    remarks: keys.value.problems,
    [Symbol.asyncDispose]: () => keys.value[Symbol.asyncDispose](),
  });
};
