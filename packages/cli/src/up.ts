import { TenantId } from '@foldmesh/envelope';
import { managerApp } from '@foldmesh/manager';
import { onSignals, systemClock } from '@foldmesh/system';
import type { Command } from 'commander';
import type { ExitCode, Shell } from './command.ts';
import { httpServer } from './http-server.ts';
import { InputError } from './job-file.ts';
import { startLocalMesh } from './local-mesh.ts';
import { setUp } from './setup.ts';

const address = '127.0.0.1';
/** Callers need no key, so nobody may reach it from elsewhere, nor under a name that somebody else made point here. */
const hosts = [address, 'localhost'];
const tenant = TenantId.parse('local');

/** How long requests in hand have to be answered, and then work in hand to end: together well below 5 s. Milliseconds. */
const answerMs = 2_500;
const stopGraceMs = 500;
const sameSignalMs = 300;

interface UpOptions {
  readonly port: number;
  readonly config?: string;
}

/** Adds the command; `ended` is told what it ends with. */
export const addUp = (program: Command, shell: Shell, ended: (code: ExitCode) => void): void => {
  program
    .command('up')
    .description('serve the API of a whole mesh in this process, on loopback')
    .option('--port <port>', 'where to listen; 0 picks a free port', parsePort, 8080)
    .option('--config <file>', 'configuration file (default: foldmesh.yaml in the current folder)')
    .addHelpText(
      'after',
      '\nExample:\n  foldmesh up --port 8080 --config examples/licence-audit/foldmesh.yaml\n',
    )
    .action(async (options: UpOptions) => ended(await up(shell, options)));
};

const parsePort = (text: string): number => {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InputError(`--port wants a number from 0 to 65535, got ${JSON.stringify(text)}`);
};

/** Runs until a signal comes: then intake stops, what is in hand is answered, streams end, services drain. */
const up = async (shell: Shell, { port, config }: UpOptions): Promise<ExitCode> => {
  const setup = await setUp(shell, undefined, config);
  if ('problems' in setup) return refuse(shell, setup.problems);
  const local = await startLocalMesh(setup, shell.exit, shell.err);
  if (!local.ok) return refuse(shell, [local.fault.detail]);
  const { ports, catalogue, durability, mesh } = local.value;
  const draining = new AbortController();
  const app = managerApp({ ports, catalogue, durability, tenant, hosts, draining: draining.signal });
  const server = httpServer(app);
  await using _ = untilSignal(shell, () => draining.abort());
  const listening = await server.listen(address, port);
  if (!listening.ok) {
    await mesh.stop(0);
    return refuse(shell, [listening.fault.detail]);
  }
  shell.out(`foldmesh is up on http://${address}:${listening.value} (loopback only: callers need no key)\n`);
  const broken = mesh.failed.then((error) => {
    shell.err(`the mesh ended by a defect: ${String(error)}\n`);
    draining.abort();
    return true;
  });
  await whenAborted(draining.signal);
  await server.close(answerMs);
  const isBroken = await Promise.race([broken, mesh.stop(stopGraceMs).then(() => false)]);
  // What a task left running, and nobody waits for any more, must not keep the process.
  return shell.exit(isBroken ? 1 : 0);
};

/** The first signal asks it to end; a second one ends it at once. */
const untilSignal = (shell: Shell, drain: () => void): AsyncDisposable => {
  let firstAt: number | undefined;
  const hear = (): void => {
    const now = systemClock.monotonic();
    // A group kill may signal us and whoever passes signals on to us: that is one signal.
    if (firstAt !== undefined && now - firstAt < sameSignalMs) return;
    if (firstAt !== undefined) shell.exit(130);
    firstAt = now;
    shell.err('ending; once more kills it\n');
    drain();
  };
  return onSignals({ SIGINT: hear, SIGTERM: hear });
};

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

const refuse = (shell: Shell, problems: readonly string[]): ExitCode => {
  for (const problem of problems) shell.err(`${problem}\n`);
  return 2;
};
