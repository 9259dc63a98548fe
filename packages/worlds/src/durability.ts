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

/** What these servers give, the strongest first. How often a server syncs it says at its monitoring port alone. */
export const durabilitiesOf = async (
  { replicas }: Pick<TopologyReport, 'replicas'>,
  monitorUrl: string | undefined,
  signal: AbortSignal,
): Promise<readonly Durability[]> => {
  const found: Durability[] = [];
  if (replicas >= replicasMin) found.push('replicated');
  if (monitorUrl !== undefined && (await syncsAlways(monitorUrl, signal))) found.push('durable');
  return [...found, 'best-effort'];
};

const syncsAlways = async (monitorUrl: string, signal: AbortSignal): Promise<boolean> => {
  const url = new URL('/varz', monitorUrl).href;
  // It is an address out of the configuration, and mostly of this machine.
  const http = systemHttp({ allow: [new URL(url).hostname] });
  const answer = await http.get({ url, headers: {}, bytesMax: varzBytesMax }, signal);
  const said = answer.ok ? decodeJson(answer.value.body) : answer;
  return said.ok && valueAt(said.value, ['jetstream', 'config', 'sync_always']) === true;
};

const valueAt = (value: Json, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, name) => (isJsonObject(at) ? at[name] : undefined), value);

/** What an operator relies on is refused at the start where it is not had, not found missing after a power cut. */
export const enoughDurability = (wanted: Durability, found: readonly Durability[]): Result<Durability> => {
  const [best = 'best-effort'] = found;
  if (found.includes(wanted)) return ok(wanted === 'best-effort' ? best : wanted);
  const how = {
    'best-effort': '',
    durable: 'sync_interval: always in the server, and its monitoring port named as nats.monitor_url',
    replicated: 'three servers and nats.replicas: 3',
  }[wanted];
  return fail(
    fault('refused', `the journal is ${best}, and durability asks for ${wanted}: that needs ${how}`, {
      source: 'durability',
    }),
  );
};
