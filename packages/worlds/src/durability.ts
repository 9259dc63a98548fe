import { decodeJson, fail, fault, isJsonObject, type Json, ok, type Result } from '@foldmesh/envelope';
import type { TopologyReport } from '@foldmesh/jetstream';
import { type Config, systemHttp } from '@foldmesh/system';

/**
 * How much an accepted job survives. `durable`: every entry is on disk before it is acknowledged; `replicated`: it is on
 * three servers; everything else is `best-effort`, which a power cut may set back by two minutes.
 */
export type Durability = Config['durability'];

const varzBytesMax = 1024 * 1024;
const replicasMin = 3;

/** Which one these servers give. How often a server syncs it says at its monitoring port alone. */
export const durabilityOf = async (
  { replicas }: TopologyReport,
  monitorUrl: string | undefined,
  signal: AbortSignal,
): Promise<Durability> => {
  if (replicas >= replicasMin) return 'replicated';
  if (monitorUrl === undefined) return 'best-effort';
  const url = new URL('/varz', monitorUrl).href;
  const answer = await systemHttp().get({ url, headers: {}, bytesMax: varzBytesMax }, signal);
  const said = answer.ok ? decodeJson(answer.value.body) : answer;
  return said.ok && syncsAlways(said.value) ? 'durable' : 'best-effort';
};

const syncsAlways = (varz: Json): boolean => valueAt(varz, ['jetstream', 'config', 'sync_always']) === true;

const valueAt = (value: Json, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, name) => (isJsonObject(at) ? at[name] : undefined), value);

/** Of no less than was asked for: what an operator relies on is refused at the start, not found missing after a power cut. */
export const enoughDurability = (wanted: Durability, found: Durability): Result<Durability> => {
  if (wanted === 'best-effort' || wanted === found) return ok(found);
  const how = {
    durable: 'sync_interval: always in the server, and its monitoring port named as nats.monitor_url',
    replicated: 'three servers and nats.replicas: 3',
  }[wanted];
  return fail(
    fault('refused', `the journal is ${found}, and durability asks for ${wanted}: that needs ${how}`, {
      source: 'durability',
    }),
  );
};
