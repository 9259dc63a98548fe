import { catalogueSubject, invariant, type Json, PoolName, TenantId } from '@foldmesh/envelope';
import type { Clock, Ports } from '@foldmesh/ports';
import { steadyPorts } from '@foldmesh/runtime';
import { simulationWorld } from '@foldmesh/worlds';
import type { AdmissionSettings } from '../../admission.ts';
import { catalogueView } from '../../catalogue-view.ts';
import { managerService } from '../../service.ts';
import { type AppSettings, type ManagerApp, managerApp } from '../manager-app.ts';
import { documented } from './documented.ts';
import { offers, pretendWorker } from './pretend-worker.ts';

export const tenant = TenantId.parse('acme');

/** Time that somebody drives. */
export interface DrivenClock extends Clock {
  run<T>(work: Promise<T>): Promise<T>;
  sleepers(): number;
}

/** What a story happens in; each gets a new one. */
export interface World {
  readonly clock: DrivenClock;
  readonly ports: Ports;
}

/** A manager with its API over stores in memory, in virtual time. */
export interface TestApi {
  readonly clock: DrivenClock;
  readonly ports: Ports;
  /** Every answer of it is held against the document. */
  readonly app: ManagerApp;
  /** Aborting it is the beginning of this process's end. */
  readonly drain: () => void;
  /** Starts the manager, where it was not started at once. */
  startManager(): Promise<void>;
  /** Another door to the same mesh. */
  open(more: Partial<AppSettings>): Promise<ManagerApp>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  post(path: string, body?: Json | string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Submits a job and says its id. */
  submit(spec: Json): Promise<string>;
  /** The job's record once it has ended. */
  ended(job: string): Promise<Answer>;
}

/** JSON as a test reads it. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers whose shape it is about to check.
export type Answer = any;

export const body = async (response: Response): Promise<Answer> => response.json();

export const origin = 'http://127.0.0.1:8080';

interface Choice {
  readonly manager?: false;
  readonly ports?: (ports: Ports) => Ports;
  readonly admission?: AdmissionSettings;
  /** What the manager works with, where that differs from what the API does. */
  readonly managerPorts?: (ports: Ports) => Ports;
}

type Story = (name: string, tell: (api: TestApi) => Promise<void>, choice?: Choice) => void;

/** Stores in memory on which nothing goes wrong. */
const calmWorld = (): World => {
  const { clock, ports } = simulationWorld({ seed: 'api', told: false });
  return { clock, ports };
};

/** Makes tests that are told in virtual time, from the first request to the end of the manager. */
export const stories =
  (it: (name: string, test: () => Promise<void>) => void, open = calmWorld): Story =>
  (name, tell, choice = {}) =>
    it(name, async () => {
      const world = open();
      await world.clock.run(
        (async () => {
          await using api = await openApi(world, choice);
          await tell(api.api);
        })(),
      );
    });

const openApi = async (
  { clock, ports }: World,
  { manager, admission, ports: around = (all) => all, managerPorts = (all) => all }: Choice,
): Promise<AsyncDisposable & { readonly api: TestApi }> => {
  const steady = steadyPorts(ports);
  const over = new AbortController();
  const draining = new AbortController();
  const stops: (() => Promise<void>)[] = [];
  await steady.index.put(catalogueSubject('worker', PoolName.parse('default')), offers);
  const working = pretendWorker(steady, over.signal);
  const open: TestApi['open'] = async (more) => {
    const catalogue = catalogueView(steady);
    await catalogue.refresh();
    return documented(
      managerApp({
        ports: around(ports),
        catalogue,
        durability: 'process',
        tenant,
        draining: draining.signal,
        ...more,
      }),
    );
  };
  const startManager = async (): Promise<void> => {
    const settings = admission === undefined ? {} : { admission };
    const started = await managerService(managerPorts(ports), settings).start();
    invariant(started.ok, 'the manager starts');
    stops.push(() => started.value.stop(1_000));
  };
  if (manager !== false) await startManager();
  const app = await open({});
  return {
    api: apiOn(app, { clock, ports, open, startManager, drain: () => draining.abort() }),
    async [Symbol.asyncDispose]() {
      over.abort();
      for (const stop of stops) await stop();
      await working;
    },
  };
};

const apiOn = (
  app: ManagerApp,
  parts: Pick<TestApi, 'clock' | 'ports' | 'open' | 'startManager' | 'drain'>,
): TestApi => {
  const get: TestApi['get'] = (path, headers = {}) => app(new Request(`${origin}${path}`, { headers }));
  const post: TestApi['post'] = (path, body, headers = {}) =>
    app(
      new Request(`${origin}${path}`, {
        method: 'POST',
        headers,
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
  return {
    ...parts,
    app,
    get,
    post,
    async submit(spec) {
      const { id }: Answer = await (await post('/v1/jobs', spec)).json();
      return id;
    },
    async ended(job) {
      for (;;) {
        const record: Answer = await (await get(`/v1/jobs/${job}`)).json();
        if (record.ended_at !== undefined) return record;
        await parts.clock.sleep(100);
      }
    },
  };
};

/** A job of these tasks. */
export const jobOf = (
  tasks: readonly { readonly [field: string]: Json }[],
  more: { readonly [field: string]: Json } = {},
): Json => ({
  name: 'a-job',
  ...more,
  plan: { tasks, result: `\${tasks.${String(tasks[0]?.['id'])}.output}` },
});

export const echo = (id: string, input: Json = { said: id }) => ({ id, skill: 'test.echo', input });
export const hold = (id: string) => ({ id, skill: 'test.hold', input: {} });
export const refuse = (id: string) => ({ id, skill: 'test.refuse', input: {} });
