/** What the server promises of a write that it has answered. */
export type RedisDurability =
  /** On disk before the answer. */
  | 'always'
  /** A crash may lose the last second. */
  | 'every-second'
  /** A crash may lose what came after the last snapshot. */
  | 'snapshot'
  /** A restart loses all. */
  | 'none';

/** What a look at the server found. */
export interface RedisReport {
  /** `redis` or `valkey`. */
  readonly server: string;
  readonly version: string;
  readonly role: string;
  readonly policy: string;
  readonly appendonly: boolean;
  /** `undefined` where the server does not let us ask. */
  readonly appendfsync: string | undefined;
  readonly save: string | undefined;
  readonly durability: RedisDurability;
  /** Since the server started; above 0 records may be missing. */
  readonly evictedKeys: number;
}

/** Why a server may not be used; a `lasting` reason does not go by waiting: somebody has to change its configuration. */
export interface Problem {
  readonly text: string;
  readonly lasting: boolean;
  /** It answers as it should, and may drop what it is told: nothing is begun on its word, and what ends is told all the same. */
  readonly forgets?: true;
}

/** From the replies of `INFO` and, where it is allowed, `CONFIG GET`. */
export const reportOf = (info: string, config: ReadonlyMap<string, string> | undefined): RedisReport => {
  const fields = fieldsOf(info);
  const appendonly = config?.get('appendonly') ?? (fields.get('aof_enabled') === '1' ? 'yes' : 'no');
  const appendfsync = config?.get('appendfsync');
  const save = config?.get('save');
  return {
    server: fields.get('server_name') ?? 'redis',
    version: fields.get('valkey_version') ?? fields.get('redis_version') ?? '',
    role: fields.get('role') ?? '',
    policy: config?.get('maxmemory-policy') ?? fields.get('maxmemory_policy') ?? '',
    appendonly: appendonly === 'yes',
    appendfsync,
    save,
    durability: durabilityOf(appendonly === 'yes', appendfsync, save),
    evictedKeys: Number(fields.get('evicted_keys') ?? 0),
  };
};

/** Where the server does not let us ask, the weaker promise is the one to count on. */
const durabilityOf = (
  appendonly: boolean,
  appendfsync: string | undefined,
  save: string | undefined,
): RedisDurability => {
  if (appendonly && appendfsync === 'always') return 'always';
  // With `no` the operating system decides, which is later than a second and has no name in this list but the next.
  if (appendonly && appendfsync !== 'no') return 'every-second';
  return appendonly || (save !== undefined && save !== '') ? 'snapshot' : 'none';
};

/** Why the server that said this may not be used. */
export const problemsOf = (
  info: string,
  { server, version, role, policy }: RedisReport,
): readonly Problem[] => {
  const problems: Problem[] = [];
  // Every Valkey has all of what came with Redis 7.
  if (server !== 'valkey' && !(Number.parseInt(version, 10) >= 7))
    problems.push({
      text: `its version is ${version || 'unknown'}, and must be 7.0 or later`,
      lasting: true,
    });
  if (fieldsOf(info).get('redis_mode') === 'cluster')
    problems.push({ text: 'it is a node of a cluster, and the ledger needs all keys on one', lasting: true });
  if (policy !== 'noeviction')
    problems.push({
      text: `maxmemory-policy is ${policy || 'unknown'}, and must be noeviction: it would forget what has run`,
      lasting: true,
      forgets: true,
    });
  if (role !== 'master')
    problems.push({ text: `its role is ${role || 'unknown'}, and must be master`, lasting: false });
  return problems;
};

const fieldsOf = (info: string): ReadonlyMap<string, string> =>
  new Map(
    info.split('\n').flatMap((line): [string, string][] => {
      const at = line.indexOf(':');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1).trim()]] : [];
    }),
  );
