import { type Fault, fail, fault, ok, type Result } from '@foldmesh/envelope';
import type { StreamInfo } from '@nats-io/jetstream';
import { asking, type Connection } from './connection.ts';
import { codeOf, codes } from './faults.ts';
import { defaultTopology, retryAfterMs } from './settings.ts';
import { essentialSettings, streamNames, type WantedStream, wantedStreams } from './streams.ts';

/** A setting of a stream that is not what is wanted. `essential`: a promise rests on it. */
export interface Difference {
  readonly stream: string;
  readonly setting: string;
  readonly wanted: string;
  readonly found: string;
  readonly essential: boolean;
}

export interface TopologyReport {
  readonly version: string;
  /** Streams that were not there before. */
  readonly created: readonly string[];
  readonly differences: readonly Difference[];
  /** Copies of the journal and of what its entries name, as the server says. */
  readonly replicas: number;
}

const source = 'nats-topology';
const again = { source, retry_after_ms: retryAfterMs };

/**
 * Makes what is missing, changes and deletes nothing, and says every setting that is not as wanted. Repeating it, or doing
 * it in several processes at once, is harmless. A journal, or the blobs that it names, missing beside streams that are there
 * was lost: it is never made anew in silence, for all that it promised would be gone.
 */
export const ensureTopology = async (connection: Connection): Promise<Result<TopologyReport>> => {
  const ask = asking(connection, source);
  return ask(async () => {
    const version = connection.nats.info?.version;
    if (version === undefined) return fail(fault('unavailable', 'NATS is not reachable', again));
    if (!isNewEnough(version)) return fail(tooOld(version));
    const wanted = wantedStreams({ ...defaultTopology, ...connection.settings.topology });
    const found = await streamsFound(connection, wanted);
    if (!found.ok) return found;
    const streams = found.value;
    const created: string[] = [];
    for (const stream of storesFirst(wanted)) {
      if (streams.has(stream.name)) continue;
      // Repeated by somebody else at the same moment it is answered with what there is. The client writes into what it gets.
      const info = await connection.manager.streams.add({ ...stream });
      streams.set(stream.name, info);
      created.push(stream.name);
    }
    const differences = wanted.flatMap((stream) => differencesOf(stream, streams.get(stream.name)));
    return ok({ version, created, differences, replicas: copiesIn(streams) });
  });
};

/** The streams that hold what others only speak of. */
const stores: readonly string[] = [streamNames.journal, streamNames.blobs];

/**
 * The stores are made first and looked for last: neither whoever is interrupted here, nor whoever looks while somebody else
 * is at it, may find one missing beside the others.
 */
const storesFirst = (wanted: readonly WantedStream[]): readonly WantedStream[] => {
  const place = ({ name }: WantedStream): number =>
    stores.includes(name) ? stores.indexOf(name) : stores.length;
  return wanted.toSorted((one, other) => place(one) - place(other));
};

/** The streams that are there, by name; a fault where a store is missing beside others. */
export const streamsFound = async (
  connection: Connection,
  wanted: readonly WantedStream[],
): Promise<Result<Map<string, StreamInfo>>> => {
  const found = new Map<string, StreamInfo>();
  for (const { name } of storesFirst(wanted).toReversed()) {
    const info = await infoOf(connection, name);
    if (info !== undefined) found.set(name, info);
  }
  const lost = stores.find((store) => !found.has(store) && isOlder(store, found));
  if (lost === undefined) return ok(found);
  // Between two looks somebody may have made them all and begun to write: a store that is there by now was never lost.
  const isThere = (await infoOf(connection, lost)) !== undefined;
  return isThere ? streamsFound(connection, wanted) : fail(storeLost(lost, [...found.keys()]));
};

/** Whether a store must have been there: something is that is made after it, or that was written when all were there. */
const isOlder = (store: string, found: ReadonlyMap<string, StreamInfo>): boolean =>
  [...found].some(([name, { state }]) =>
    stores.includes(name) ? stores.indexOf(name) > stores.indexOf(store) || state.messages > 0 : true,
  );

/** An entry may name a blob: what is stored twice is not safer than what it names. */
export const copiesIn = (found: ReadonlyMap<string, StreamInfo>): number =>
  Math.min(
    ...[streamNames.journal, streamNames.blobs].map((name) => found.get(name)?.config.num_replicas ?? 0),
  );

/** A fault where a promise cannot be kept; it names each setting, what it is and what it must be. */
export const topologyFault = ({ differences }: TopologyReport): Fault | undefined => {
  const broken = differences.filter(({ essential }) => essential);
  if (broken.length === 0) return undefined;
  return fault(
    'refused',
    `the streams are not what the mesh needs: ${broken.map(differenceText).join('; ')}`,
    {
      source,
    },
  );
};

export const differenceText = ({ stream, setting, wanted, found }: Difference): string =>
  `${stream} ${setting} is ${found}, wanted ${wanted}`;

const infoOf = async ({ manager }: Connection, name: string): Promise<StreamInfo | undefined> => {
  try {
    return await manager.streams.info(name);
  } catch (error) {
    if (codeOf(error) === codes.streamMissing) return undefined;
    throw error;
  }
};

export const tooOld = (version: string): Fault =>
  fault('refused', `nats-server ${version} is too old: foldmesh needs 2.10 or newer`, { source });

const storeLost = (store: string, others: readonly string[]): Fault =>
  fault(
    'refused',
    `${store} is missing beside ${others.join(', ')}: it was lost or deleted. Restore it; or, to begin ` +
      'anew without what it held, delete the other streams too',
    { source },
  );

/** Settings as the server echoes them: an old server drops in silence what it does not know. */
export const differencesOf = (
  wanted: WantedStream,
  info: { readonly config: Partial<StreamInfo['config']> } | undefined,
): readonly Difference[] => {
  const found: Readonly<Record<string, unknown>> = { ...info?.config };
  return Object.entries(wanted).flatMap(([setting, value]) => {
    const one = textOf(value);
    const other = textOf(found[setting] ?? absent(value));
    if (one === other) return [];
    const essential = essentialSettings.has(setting);
    return [{ stream: wanted.name, setting, wanted: one, found: other, essential }];
  });
};

/** What the server leaves out is false, none or nothing. */
const absent = (wanted: unknown): unknown => (typeof wanted === 'boolean' ? false : 0);

const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).toSorted().join(' ') : String(value);

export const isNewEnough = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 2 || (major === 2 && minor >= 10);
};
