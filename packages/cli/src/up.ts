import { ok, type Result, TenantId } from '@foldmesh/envelope';
import { firstKey, keysFileAt, managerApp, type OpenAccess, openAccess } from '@foldmesh/manager';
import type { Ports } from '@foldmesh/ports';
import { type Config, httpServer } from '@foldmesh/system';
import { untilSignal, whenAborted } from '@foldmesh/worlds';
import { type ExitCode, exitCodes, exitOfFault, refuse, type Shell } from './command.ts';
import { type LocalMesh, startLocalMesh, startSharedMesh } from './local-mesh.ts';
import { type Loaded, loadSetupAnew, reloadOnChange, type SetupChoice } from './reload/definition-reload.ts';
import { unfinishedJobs } from './unfinished-jobs.ts';

const tenant = TenantId.parse('local');

/** How long requests in hand have to be answered, and then work in hand to end: together well below 5 s. Milliseconds. */
const answerMs = 2_500;
const stopGraceMs = 500;

export interface UpOptions {
  readonly port: number;
  readonly config?: string;
  readonly nats?: string;
  readonly redis?: string;
  readonly json?: true;
}

/** Runs until a signal comes: then intake stops, what is in hand is answered, streams end, services drain. */
export const up = async (shell: Shell, options: UpOptions): Promise<ExitCode> => {
  const { port, config, nats, redis } = options;
  if ((nats === undefined) !== (redis === undefined))
    return refuse(shell, [
      '--nats and --redis go together: a journal without its dedup store cannot keep what it promises',
    ]);
  const isShared = nats !== undefined && redis !== undefined;
  const choice = { config, variables: isShared ? { NATS_URL: nats, REDIS_URL: redis } : {} };
  const loaded = await loadSetupAnew(shell, choice, 0);
  if ('problems' in loaded) return refuse(shell, loaded.problems);
  const draining = new AbortController();
  const drain = (): void => {
    shell.err('ending; once more kills it\n');
    draining.abort();
  };
  await using _ = untilSignal(drain, (code) => shell.exit(code));
  const local = isShared
    ? await startSharedMesh(loaded.setup, shell.exit, shell.err, draining.signal)
    : await startLocalMesh(loaded.setup, shell.exit, shell.err);
  // Whoever ends it while it waits for its servers gets what was asked for.
  if (!local.ok)
    return draining.signal.aborted
      ? shell.exit(exitCodes.done)
      : refuse(shell, [local.fault.detail], exitOfFault(local.fault));
  // Awaited here: signals are heard for as long as it serves.
  return await serve(
    shell,
    local.value,
    { port, json: options.json === true, isShared, choice, loaded },
    draining,
  );
};

interface Serving {
  readonly port: number;
  readonly json: boolean;
  /** What it keeps is in servers, and outlives it. */
  readonly isShared: boolean;
  readonly choice: SetupChoice;
  readonly loaded: Loaded;
}

const serve = async (
  shell: Shell,
  local: LocalMesh,
  { port, json, isShared, choice, loaded }: Serving,
  draining: AbortController,
): Promise<ExitCode> => {
  const { ports, catalogue, durability, mesh } = local;
  const { config } = loaded.setup;
  const opened = await openDoor(config, ports);
  if (!opened.ok) {
    await mesh.stop(0);
    return refuse(shell, [opened.fault.detail], exitOfFault(opened.fault));
  }
  await using door = opened.value.door;
  const app = managerApp({ ports, catalogue, durability, draining: draining.signal, ...door.access });
  const server = httpServer(app);
  const listening = await server.listen(config.api.address, port);
  if (!listening.ok) {
    await mesh.stop(0);
    return refuse(shell, [listening.fault.detail], exitOfFault(listening.fault));
  }
  const url = `http://${config.api.address}:${listening.value}`;
  shell.out(
    upText({ url, durability, callers: whoMayCall(config), first_key: opened.value.first_key }, json),
  );
  const broken = mesh.failed.then((error) => {
    shell.err(`the mesh ended by a defect: ${String(error)}\n`);
    draining.abort();
    return true;
  });
  const reloading = reloadOnChange(shell, local, choice, loaded, draining.signal);
  await whenAborted(draining.signal);
  await Promise.all([reloading, server.close(answerMs)]);
  const forgotten = isShared ? 0 : await unfinishedJobs(ports);
  if (forgotten > 0) shell.err(forgottenText(forgotten));
  const isBroken = await Promise.race([broken, mesh.stop(stopGraceMs).then(() => false)]);
  // What a task left running, and nobody waits for any more, must not keep the process.
  return shell.exit(isBroken ? exitCodes.failed : exitCodes.done);
};

const forgottenText = (jobs: number): string =>
  `${jobs} unfinished ${jobs === 1 ? 'job is' : 'jobs are'} forgotten: without --nats and --redis all is kept in memory\n`;

const whoMayCall = ({ api }: Config): string =>
  api.keys === undefined ? 'loopback only: callers need no key' : `callers need a key of ${api.keys}`;

interface UpText {
  readonly url: string;
  readonly durability: string;
  readonly callers: string;
  /** Told only now. */
  readonly first_key: string | undefined;
}

const upText = (said: UpText, json: boolean): string => {
  if (json) return `${JSON.stringify(said)}\n`;
  const { url, callers, first_key } = said;
  const first = first_key === undefined ? '' : `the first API key, told only now: ${first_key}\n`;
  return `${first}foldmesh is up on ${url} (${callers})\n`;
};

interface Opened {
  readonly door: OpenAccess;
  readonly first_key: string | undefined;
}

/** Makes the first key where the file of keys has yet to be made; there is none where it is there, or nobody needs one. */
const openDoor = async (config: Config, ports: Ports): Promise<Result<Opened>> => {
  const { keys } = config.api;
  const made = keys === undefined ? ok(undefined) : await firstKey(keysFileAt(keys), tenant, ports);
  if (!made.ok) return made;
  const door = await openAccess(config, ports);
  return door.ok ? ok({ door: door.value, first_key: made.value?.text }) : door;
};
