import { type Fault, fail, ok, type Result } from '@foldmesh/envelope';
import type { Log } from '@foldmesh/ports';
import type { Service } from '@foldmesh/runtime';
import {
  type BuiltIn,
  type HttpServer,
  httpServer,
  jsonLog,
  onUncaught,
  systemClock,
  systemEnvironment,
} from '@foldmesh/system';
import { healthApp } from './health-app.ts';
import type { openProduction, ProductionWorld } from './production.ts';
import { type DefinitionKind, loadSetup, type Setup } from './setup.ts';
import { type Mesh, startAll } from './start-services.ts';
import { untilSignal, whenAborted } from './until-signal.ts';

/** What a process of a mesh is made of. */
export interface ProcessPlan {
  /** The folders that it reads definitions from. */
  readonly loads: readonly DefinitionKind[];
  readonly builtIn: (setup: Pick<Setup, 'config'>) => BuiltIn;
  readonly open: (open: OpenedProcess) => Promise<Result<ProcessParts>>;
}

export interface OpenedProcess {
  readonly world: ProductionWorld;
  readonly setup: Setup;
  /** Aborts when the process is about to end. */
  readonly draining: AbortSignal;
  /** For the skill that ends its process, where the configuration allows it. */
  readonly exit: (code: number) => void;
}

export interface ProcessParts extends AsyncDisposable {
  readonly services: readonly Service[];
  /** What it answers on the API's port, where it has an API. */
  readonly api?: (request: Request) => Promise<Response>;
  /** What somebody should hear of, though it can be relied on all the same. */
  readonly remarks?: () => readonly string[];
}

/** The parts of a process that is one service. */
export const partsOf = (
  service: Service,
  more: Partial<Pick<ProcessParts, 'api' | 'remarks'>> & { readonly close?: AsyncDisposable } = {},
): ProcessParts => ({
  services: [service],
  ...(more.api !== undefined && { api: more.api }),
  ...(more.remarks !== undefined && { remarks: more.remarks }),
  [Symbol.asyncDispose]: async () => {
    await more.close?.[Symbol.asyncDispose]();
  },
});

/** How long requests in hand have to be answered, and how much longer than its grace a process may take. Milliseconds. */
const answerMs = 2_500;
const lateMs = 4_000;
const againMs = 500;

/**
 * One process of a mesh, from its configuration to its end. It waits for its servers instead of ending without them, says
 * why it is not ready, and on a signal stops taking work, hands back or ends what it has, and leaves with 0.
 */
export const main = async (name: string, world: typeof openProduction, plan: ProcessPlan): Promise<never> => {
  const setup = await loadSetup({
    environment: systemEnvironment(),
    folder: process.cwd(),
    loads: plan.loads,
    builtIn: (config) => plan.builtIn({ config }),
  });
  if ('problems' in setup) {
    for (const problem of setup.problems) process.stderr.write(`foldmesh ${name}: ${problem}\n`);
    return process.exit(2);
  }
  const log = jsonLog({ level: setup.config.log, write: (line) => void process.stdout.write(line) });
  const ended = await live(name, world, plan, setup, log);
  if (ended.ok) return process.exit(0);
  log('error', 'the process ends', { fault: ended.fault.detail });
  process.stderr.write(`foldmesh ${name}: ${ended.fault.detail}\n`);
  return process.exit(ended.fault.kind === 'refused' ? 2 : 1);
};

const live = async (
  name: string,
  open: typeof openProduction,
  plan: ProcessPlan,
  setup: Setup,
  log: Log,
): Promise<Result<void>> => {
  const { config } = setup;
  const draining = new AbortController();
  await using _ = untilSignal(
    (signal) => {
      log('info', 'the process drains', { signal });
      draining.abort();
    },
    (code) => process.exit(code),
  );
  let stray: unknown;
  // A skill may leave something behind that throws: its neighbours end in peace, or go elsewhere without a strike, before this process does.
  await using _guard = onUncaught((error) => {
    log('error', 'something threw that nobody awaits', { error: textOf(error) });
    stray ??= error;
    draining.abort();
  });
  /** Told to end it ends well, unless it was something stray that told it. */
  const wellEnded = (): Result<void> =>
    stray === undefined
      ? ok(undefined)
      : fail({ kind: 'invalid', detail: `something threw that nobody awaits: ${textOf(stray)}` });
  let opened: ProductionWorld | undefined;
  let isReady = false;
  let remarks: () => readonly string[] = () => [];
  const problems = (): readonly string[] => [
    ...(draining.signal.aborted ? ['it is about to end'] : []),
    ...(opened === undefined ? ['waiting for NATS and Redis'] : opened.problems()),
    ...(opened !== undefined && !isReady ? ['its services are starting'] : []),
  ];
  const health = httpServer(
    healthApp({ problems, remarks: () => remarks(), durability: () => opened?.durability }),
  );
  const listening = await health.listen(config.health.address, config.health.port);
  if (!listening.ok) return fail(named('health.port', listening.fault));
  log('info', `${name} says how it is`, { address: config.health.address, port: listening.value });
  try {
    const world = await open({ config, name: `foldmesh-${name}`, log }, draining.signal);
    if (!world.ok) return draining.signal.aborted ? wellEnded() : world;
    await using held = world.value;
    opened = held;
    const exit = (code: number): never => process.exit(code);
    const opening = { world: held, setup, draining: draining.signal, exit };
    const parts = await whenPossible(() => plan.open(opening), log, draining.signal);
    if (!parts.ok) return draining.signal.aborted ? wellEnded() : parts;
    await using made = parts.value;
    remarks = made.remarks ?? remarks;
    const ended = await serveUntilDrained(name, made, setup, log, draining, () => {
      isReady = true;
    });
    return ended.ok ? wellEnded() : ended;
  } finally {
    await health.close(0);
  }
};

const serveUntilDrained = async (
  name: string,
  { services, api }: ProcessParts,
  { config }: Setup,
  log: Log,
  draining: AbortController,
  ready: () => void,
): Promise<Result<void>> => {
  const mesh = await whenPossible(() => startAll(services), log, draining.signal);
  if (!mesh.ok) return draining.signal.aborted ? ok(undefined) : mesh;
  const server = api === undefined ? undefined : httpServer(api);
  const listening = await server?.listen(config.api.address, config.api.port);
  if (listening?.ok === false) {
    await mesh.value.stop(0);
    return fail(named('api.port', listening.fault));
  }
  if (listening?.ok === true)
    // Whoever starts it is told where, and what is less than a warning is mostly not heard.
    log('warn', `${name} serves its API`, { address: config.api.address, port: listening.value });
  ready();
  log('info', `${name} is ready`);
  let defect: unknown;
  void mesh.value.failed.then((error) => {
    defect = error ?? 'unknown';
    draining.abort();
  });
  await whenAborted(draining.signal);
  try {
    await drain(mesh.value, server, config.grace_ms, log);
  } catch (error) {
    defect ??= error;
  }
  if (defect === undefined) return ok(undefined);
  return fail({ kind: 'invalid', detail: `a service ended by a defect: ${String(defect)}` });
};

/** A server that went away between two steps is waited for, as at the beginning; and so is a file that another has not let go of yet. */
const whenPossible = async <T>(
  step: () => Promise<Result<T>>,
  log: Log,
  signal: AbortSignal,
): Promise<Result<T>> => {
  for (;;) {
    const done = await step();
    if (done.ok || done.fault.retry_after_ms === undefined || signal.aborted) return done;
    log('warn', 'it could not start yet', { fault: done.fault.detail });
    await systemClock.sleep(againMs, signal);
  }
};

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** What has to be set otherwise. */
const named = (setting: string, why: Fault): Fault => ({ ...why, detail: `${setting}: ${why.detail}` });

/** Intake ends first, in the services; requests in hand are answered meanwhile. What does not end in time is left behind. */
const drain = async (
  mesh: Mesh,
  server: HttpServer | undefined,
  graceMs: number,
  log: Log,
): Promise<void> => {
  const ended = new AbortController();
  const late = systemClock.sleep(graceMs + lateMs, ended.signal).then(() => {
    if (!ended.signal.aborted) log('warn', 'work in hand did not end in time and is left behind');
  });
  try {
    await Promise.race([Promise.all([server?.close(answerMs), mesh.stop(graceMs)]), late]);
  } finally {
    ended.abort();
  }
};
