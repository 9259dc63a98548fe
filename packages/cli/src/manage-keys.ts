import { resolve } from 'node:path';
import { cut, type Fault, limits, TenantId } from '@foldmesh/envelope';
import { type ApiKey, createKey, keysFileAt, lifetimeMs, Role, readKeys, revokeKey } from '@foldmesh/manager';
import { loadConfig, systemClock, systemRandom } from '@foldmesh/system';
import { printJson, tableText, timeText } from './api/print.ts';
import { CommandError, type ExitCode, exitCodes, exitOfFault, type Shell } from './command.ts';

export interface KeysOptions {
  readonly file?: string;
  readonly config?: string;
  readonly json?: true;
}

export interface NewKeyOptions extends KeysOptions {
  readonly role: string;
  readonly tenant: string;
  readonly lifetime: string;
  readonly note?: string;
}

/** Makes a key. Its text is printed this once; the file has only what cannot open anything. */
export const createApiKey = async (shell: Shell, options: NewKeyOptions): Promise<ExitCode> => {
  const tenant = TenantId.safeParse(options.tenant);
  if (!tenant.success)
    throw new CommandError(`--tenant ${options.tenant}: ${tenant.error.issues[0]?.message}`);
  const life = lifetimeMs(options.lifetime);
  if (life === undefined)
    throw new CommandError(
      `--lifetime wants a time like 30m, 12h or 90d, got ${JSON.stringify(options.lifetime)}`,
    );
  const made = await createKey(
    keysFileAt(await pathOf(shell, options)),
    {
      tenant: tenant.data,
      role: Role.parse(options.role),
      lifetimeMs: life,
      ...(options.note !== undefined && { note: options.note }),
    },
    { clock: systemClock, random: systemRandom },
  );
  if (!made.ok) throw unkept(made.fault);
  const { key, text } = made.value;
  if (options.json === true) {
    printJson(shell, { ...shown(key), key: text });
    return exitCodes.done;
  }
  shell.out(`${text}\n`);
  shell.err(
    `key ${key.id}, ${key.role} for ${key.tenant} until ${timeText(key.expires_at)}; it is not shown again\n`,
  );
  return exitCodes.done;
};

/** All keys of the file, the expired ones too. */
export const listApiKeys = async (shell: Shell, options: KeysOptions): Promise<ExitCode> => {
  const listed = await readKeys(keysFileAt(await pathOf(shell, options)));
  if (!listed.ok) throw unkept(listed.fault);
  if (options.json === true) printJson(shell, { keys: listed.value.map(shown) });
  else
    shell.out(
      tableText(
        listed.value.map(({ id, role, tenant, expires_at, note = '' }) => [
          id,
          role,
          tenant,
          `${expires_at < systemClock.now() ? 'expired' : 'until'} ${timeText(expires_at)}`,
          note,
        ]),
      ),
    );
  return exitCodes.done;
};

/** Takes a key out of the file. */
export const revokeApiKey = async (shell: Shell, id: string, options: KeysOptions): Promise<ExitCode> => {
  const file = keysFileAt(await pathOf(shell, options));
  const revoked = await revokeKey(file, id);
  if (!revoked.ok) {
    const listed = await readKeys(file);
    const isKnown = !listed.ok || listed.value.some((key) => key.id === id);
    throw isKnown ? unkept(revoked.fault) : new CommandError(revoked.fault.detail, exitCodes.notFound);
  }
  if (options.json === true) printJson(shell, shown(revoked.value));
  else shell.out(`revoked ${id}\n`);
  return exitCodes.done;
};

/** What a list may show: the hash tells nobody anything, and is left out all the same. */
const shown = ({ hash: _, ...key }: ApiKey): Omit<ApiKey, 'hash'> => key;

const unkept = (fault: Fault): CommandError =>
  new CommandError(cut(fault.detail, limits.faultDetailBytesMax), exitOfFault(fault));

const pathOf = async ({ cwd, environment }: Shell, { file, config }: KeysOptions): Promise<string> => {
  if (file !== undefined) return resolve(cwd, file);
  const loaded = await loadConfig({ environment, folder: cwd, file: config });
  if ('problems' in loaded) throw new CommandError(loaded.problems.join('\n'));
  const { keys } = loaded.config.api;
  if (keys !== undefined) return keys;
  throw new CommandError(
    'no file of keys is named: give --file, or set api.keys in foldmesh.yaml (FOLDMESH_API_KEYS)',
  );
};
