import { fail, fault, ok, type Result } from '@foldmesh/envelope';
import { asking, type Connection } from './connection.ts';
import { defaultTopology } from './settings.ts';
import { wantedStreams } from './streams.ts';
import { copiesIn, type Difference, differencesOf, isNewEnough, streamsFound, tooOld } from './topology.ts';

/** What a look at the server found. */
export interface StreamReport {
  readonly version: string;
  /** Streams that are not there. */
  readonly missing: readonly string[];
  /** How many of those that are wanted are there. */
  readonly present: number;
  /** Of the streams that are there. */
  readonly differences: readonly Difference[];
  /** Copies of the journal and of what its entries name, as the server says; 0 where there are none. */
  readonly replicas: number;
}

const source = 'nats-topology';

/** Looks at the streams, and makes none: whoever only asks must not found a mesh. */
export const reportStreams = async (connection: Connection): Promise<Result<StreamReport>> =>
  asking(
    connection,
    source,
  )(async () => {
    const { version = '', jetstream } = connection.nats.info ?? {};
    if (!isNewEnough(version)) return fail(tooOld(version));
    if (jetstream !== true)
      return fail(
        fault('refused', `nats-server ${version} runs without JetStream: start it with --jetstream`, {
          source,
        }),
      );
    const wanted = wantedStreams({ ...defaultTopology, ...connection.settings.topology });
    const found = await streamsFound(connection, wanted);
    if (!found.ok) return found;
    const streams = found.value;
    const isThere = ({ name }: { readonly name: string }): boolean => streams.has(name);
    const missing = wanted.filter((stream) => !isThere(stream)).map(({ name }) => name);
    const differences = wanted
      .filter(isThere)
      .flatMap((stream) => differencesOf(stream, streams.get(stream.name)));
    return ok({
      version,
      missing,
      present: wanted.length - missing.length,
      differences,
      replicas: copiesIn(streams),
    });
  });
