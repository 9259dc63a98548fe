import { defineConfig } from 'vitest/config';

// Packages are taken from their source, so that a test never runs against a `dist` of yesterday.
const conditions = ['@foldmesh/source', 'node', 'import', 'default'];
const source = { resolve: { conditions }, ssr: { resolve: { conditions, externalConditions: conditions } } };
const exclude = ['**/node_modules/**', '**/dist/**', '**/out/**'];

/** Unit-sized tests share a worker: nothing in a module may be changed, which tools/tidy checks. */
const quick = (name: string, include: string[], without: string[] = []) => ({
  ...source,
  // Generous: what is wrong is told by an assertion, and a machine may be busy.
  test: { name, include, exclude: [...exclude, ...without], isolate: false, testTimeout: 60_000 },
});

/** What is tried on real servers, and takes as long as they do. */
const onServers = ['test/contracts/{nats,redis,sqlite}*.test.ts', 'packages/testbed/src/**/*.test.ts'];

/** Tests that start processes and servers run after the others, one project at a time, and few files of it: their machine is small. */
const slow = (name: string, groupOrder: number, include: string[], filesAtOnce = 1) => ({
  ...source,
  test: {
    name,
    include,
    exclude,
    // They bound nothing but hangs: how long something may take is what a test asserts.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    fileParallelism: filesAtOnce > 1,
    maxWorkers: filesAtOnce,
    sequence: { groupOrder },
  },
});

export default defineConfig({
  test: {
    projects: [
      quick('fold', ['packages/*/src/**/*.test.ts', 'services/*/src/**/*.test.ts'], onServers),
      quick('tools', ['tools/**/*.test.ts']),
      quick('contracts', ['test/contracts/**/*.test.ts'], onServers),
      quick('scenarios', ['test/scenarios/**/*.test.ts']),
      slow('servers', 1, onServers),
      // Most of their time they wait: for leases, for processes to come up, for servers to go away.
      slow('e2e', 2, ['test/e2e/**/*.test.ts'], 2),
      slow('examples', 3, ['examples/**/*.test.ts']),
      slow('bench', 4, ['bench/**/*.test.ts']),
      slow('sim', 5, ['test/sim/**/*.test.ts'], 2),
    ],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**', 'services/*/src/**'],
      exclude: ['**/*.test.ts'],
    },
  },
});
