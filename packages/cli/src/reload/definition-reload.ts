import { resolve } from 'node:path';
import { systemClock } from '@foldmesh/system';
import type { Setup } from '@foldmesh/worlds';
import type { Shell } from '../command.ts';
import type { LocalMesh } from '../local-mesh.ts';
import { setUp } from '../setup.ts';
import { fileLook, type Seen, type Watched } from './file-look.ts';
import { keepReloading } from './keep-reloading.ts';
import { loadedAnew, withoutMark } from './loaded-anew.ts';

/** What a mesh was set up with, and the files that it came from. */
export interface Loaded {
  readonly setup: Setup;
  readonly seen: Seen;
}

export interface SetupChoice {
  readonly config: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
}

/** Loads configuration and definitions as they are now. */
export const loadSetupAnew = async (
  shell: Shell,
  { config, variables }: SetupChoice,
  generation: number,
): Promise<Loaded | { readonly problems: readonly string[]; readonly files: readonly string[] }> => {
  const { value, files } = await loadedAnew(generation, () => setUp(shell, undefined, config, variables));
  if ('problems' in value) return { problems: value.problems.map(withoutMark), files };
  const watched = watchedFor(shell, config, value, files);
  return { setup: value, seen: { watched, look: await fileLook(watched) } };
};

/**
 * Keeps a mesh at what its files say until `signal` aborts: on a change its services stop and start again on the same
 * stores, as they would in a rollout, so no job is lost. With files that cannot be loaded everything stays as it was.
 */
export const reloadOnChange = (
  shell: Shell,
  mesh: LocalMesh,
  choice: SetupChoice,
  first: Loaded,
  signal: AbortSignal,
): Promise<void> => {
  let loaded = first;
  let generation = 0;
  const reload = async (): Promise<Watched> => {
    generation += 1;
    const next = await loadSetupAnew(shell, choice, generation);
    if ('problems' in next) {
      for (const problem of next.problems) shell.err(`${problem}\n`);
      shell.err('not reloaded: what was loaded before stays in force\n');
      // What has to be mended may be a file that nothing came from before.
      const { files, folders } = loaded.seen.watched;
      return { files: [...files, ...next.files], folders };
    }
    const { config } = loaded.setup;
    const kept = unchangeable.filter(
      (name) => JSON.stringify(next.setup.config[name]) !== JSON.stringify(config[name]),
    );
    if (kept.length > 0)
      shell.err(`${kept.join(', ')}: a change takes effect when this process is started again\n`);
    loaded = next;
    const isRunning = await restarted(shell, mesh, next.setup, signal);
    if (isRunning) shell.err(`reloaded: ${countsOf(next.setup)}\n`);
    return next.seen.watched;
  };
  return keepReloading(first.seen, systemClock, signal, reload);
};

/** Between two tries to start services whose servers are away. Milliseconds. */
const againMs = 500;

/** A server that is away at this moment is waited for, as at the beginning. */
const restarted = async (
  shell: Shell,
  mesh: LocalMesh,
  setup: Setup,
  signal: AbortSignal,
): Promise<boolean> => {
  while (!signal.aborted) {
    const again = await mesh.restart(setup);
    if (again.ok) return true;
    shell.err(`${again.fault.detail}\n`);
    if (again.fault.retry_after_ms === undefined) return false;
    await systemClock.sleep(againMs, signal);
  }
  return false;
};

/** What stands under the services is opened once. */
const unchangeable = ['api', 'nats', 'redis', 'memory', 'ack_wait_ms', 'log'] as const;
const kinds = ['skills', 'tools', 'pipelines', 'agents'] as const;

const watchedFor = (
  { cwd, environment }: Shell,
  named: string | undefined,
  { config }: Setup,
  files: readonly string[],
): Watched => ({
  files: [resolve(cwd, named ?? (environment['FOLDMESH_CONFIG'] || 'foldmesh.yaml')), ...files],
  folders: [...kinds.map((kind) => config[kind]), config.scripts].filter((folder) => folder !== undefined),
});

const countsOf = ({ definitions }: Setup): string =>
  kinds.map((kind) => `${definitions[kind].length} ${kind}`).join(', ');
