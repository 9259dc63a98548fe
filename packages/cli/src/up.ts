import { TenantId } from '@foldmesh/envelope';
import { loopbackNames, managerApp } from '@foldmesh/manager';
import { httpServer } from '@foldmesh/system';
import { untilSignal, whenAborted } from '@foldmesh/worlds';
import type { Command } from 'commander';
import type { ExitCode, Shell } from './command.ts';
import { InputError } from './job-file.ts';
import { startLocalMesh, startSharedMesh } from './local-mesh.ts';
import { setUp } from './setup.ts';

const address = '127.0.0.1';
const tenant = TenantId.parse('local');

/** How long requests in hand have to be answered, and then work in hand to end: together well below 5 s. Milliseconds. */
const answerMs = 2_500;
const stopGraceMs = 500;

interface UpOptions {
  readonly port: number;
  readonly config?: string;
  readonly nats?: string;
  readonly redis?: string;
}

/** Adds the command; `ended` is told what it ends with. */
export const addUp = (program: Command, shell: Shell, ended: (code: ExitCode) => void): void => {
  program
    .command('up')
    .description('serve the API of a whole mesh in this process, on loopback')
    .option('--port <port>', 'where to listen; 0 picks a free port', parsePort, 8080)
    .option('--config <file>', 'configuration file (default: foldmesh.yaml in the current folder)')
    .option('--nats <url>', 'keep work and journal in this NATS server (with JetStream) instead of in memory')
    .option('--redis <url>', 'the dedup store that goes with --nats')
    .addHelpText(
      'after',
      '\nExamples:\n  foldmesh up --port 8080 --config examples/licence-audit/foldmesh.yaml\n' +
        '  foldmesh up --nats nats://127.0.0.1:4222 --redis redis://127.0.0.1:6379\n',
    )
    .action(async (options: UpOptions) => ended(await up(shell, options)));
};

const parsePort = (text: string): number => {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InputError(`--port wants a number from 0 to 65535, got ${JSON.stringify(text)}`);
};

/** Runs until a signal comes: then intake stops, what is in hand is answered, streams end, services drain. */
const up = async (shell: Shell, { port, config, nats, redis }: UpOptions): Promise<ExitCode> => {
  if ((nats === undefined) !== (redis === undefined))
    return refuse(shell, [
      '--nats and --redis go together: a journal without its dedup store cannot keep what it promises',
    ]);
  const isShared = nats !== undefined && redis !== undefined;
  const setup = await setUp(shell, undefined, config, isShared ? { NATS_URL: nats, REDIS_URL: redis } : {});
  if ('problems' in setup) return refuse(shell, setup.problems);
  const draining = new AbortController();
  const drain = (): void => {
    shell.err('ending; once more kills it\n');
    draining.abort();
  };
  await using _ = untilSignal(drain, (code) => shell.exit(code));
  const local = isShared
    ? await startSharedMesh(setup, shell.exit, shell.err, draining.signal)
    : await startLocalMesh(setup, shell.exit, shell.err);
  // Whoever ends it while it waits for its servers gets what was asked for.
  if (!local.ok) return draining.signal.aborted ? shell.exit(0) : refuse(shell, [local.fault.detail]);
  const { ports, catalogue, durability, mesh } = local.value;
  const app = managerApp({
    ports,
    catalogue,
    durability,
    tenant,
    hosts: loopbackNames,
    draining: draining.signal,
  });
  const server = httpServer(app);
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

const refuse = (shell: Shell, problems: readonly string[]): ExitCode => {
  for (const problem of problems) shell.err(`${problem}\n`);
  return 2;
};
