import { eventually } from '@foldmesh/testbed';
import type { Answer, MeshClient } from './mesh-client.ts';

/** A job of three tasks and three side effects, one of which must not be tried twice. */
export const errandJob = (name: string, ms = 20) => ({
  name,
  plan: {
    tasks: [
      {
        id: 'tidy',
        skill: 'test.errands',
        input: { name: `${name}/tidy`, count: 2, ms, tool: 'witness.idempotent' },
      },
      {
        id: 'once',
        skill: 'test.errands',
        input: { name: `${name}/once`, count: 1, ms, tool: 'witness.unsafe' },
      },
      { id: 'report', skill: 'debug.echo', input: '${tasks.tidy.output.done}', depends_on: ['once'] },
    ],
    result: '${tasks.report.output}',
  },
});

/** What the witness writes for it, once each. */
export const effectsOf = (name: string): readonly string[] => [
  `${name}/once/0`,
  `${name}/tidy/0`,
  `${name}/tidy/1`,
];

/** One answer of the API, or that there was none. */
export interface Told {
  readonly name: string;
  readonly ms: number;
  readonly answer: Answer | undefined;
  readonly wrong?: string;
}

/** Jobs that come steadily, each submitted under its key until it is accepted. */
export interface Load {
  /** The jobs that were accepted so far: their ids by their names. */
  readonly accepted: ReadonlyMap<string, string>;
  readonly told: readonly Told[];
  /** No further job is begun; resolves when those that were are accepted. */
  stop(): Promise<void>;
}

/** Clients that are turned away come again; more than so many at once would be a crowd and no light load. */
const waitingMax = 20;
const againMs = 1_000;
const patienceMs = 240_000;
const lifeMs = 20 * 60_000;

/** Begins a job every so many milliseconds, at each API in turn; one that does not take it is followed by the next. */
export const errandLoad = (clients: readonly MeshClient[], everyMs = 300, kind = 'load'): Load => {
  const accepted = new Map<string, string>();
  const told: Told[] = [];
  const submits: Promise<void>[] = [];
  let waiting = 0;
  let isOver = false;
  let begun = 0;
  const begin = (): boolean => {
    if (isOver) return true;
    if (waiting >= waitingMax) return false;
    const name = `${kind}-${begun++}`;
    waiting += 1;
    const submit = submitUntilAccepted(clients, begun, name, told).then((id) => {
      waiting -= 1;
      accepted.set(name, id);
    });
    // It is looked at in the end; until then it is not one that nobody handles.
    submit.catch(() => undefined);
    submits.push(submit);
    return false;
  };
  const life = eventually(begin, { withinMs: lifeMs, everyMs });
  return {
    accepted,
    told,
    stop: async () => {
      isOver = true;
      await life;
      await Promise.all(submits);
    },
  };
};

/** As a client does that keeps to its key: whatever it is told, it asks again, the next API, until the job is taken. */
const submitUntilAccepted = (
  clients: readonly MeshClient[],
  first: number,
  name: string,
  told: Told[],
): Promise<string> => {
  let turn = first;
  return eventually(
    async () => {
      const client = clients[turn++ % clients.length];
      if (client === undefined) throw new Error('there is no API to ask');
      const said = await submitOnce(client, name);
      told.push(said);
      if (said.answer?.status !== 202) throw new Error(`${name}: ${JSON.stringify(said)}`);
      return (said.answer.body as { readonly id: string }).id; // as the API documents it
    },
    { withinMs: patienceMs, everyMs: againMs },
  );
};

/** Tells what came of it, an answer or none. */
export const submitOnce = async (client: MeshClient, name: string, ms?: number): Promise<Told> => {
  const began = performance.now();
  try {
    const answer = await client.post('/v1/jobs', errandJob(name, ms), { 'idempotency-key': name });
    return { name, ms: performance.now() - began, answer };
  } catch (error) {
    return { name, ms: performance.now() - began, answer: undefined, wrong: String(error) };
  }
};
