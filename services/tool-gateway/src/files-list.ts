import { fail, fault, ok } from '@foldmesh/envelope';
import type { Files } from '@foldmesh/ports';
import { defineTool, type Tool, z } from '@foldmesh/sdk';
import { FilePath } from './file-path.ts';

const entriesMax = 10_000;
const entriesDefault = 2_000;

const Input = z.strictObject({
  path: FilePath,
  entries_max: z.int().min(1).max(entriesMax).optional(),
});

const Output = z.strictObject({
  entries: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.enum(['file', 'directory', 'link', 'other']),
      bytes: z.int().nonnegative().optional(),
    }),
  ),
});

/** The entries of one folder, all or none: half a list looks like a whole one. */
export const filesList = (root: Files): Tool =>
  defineTool({
    name: 'files.list',
    description:
      'Lists one folder: name, kind (file, directory, link, other) and bytes of files, sorted by name. `path` is ' +
      `relative to the root, "." is the root. Fails above \`entries_max\` entries (${entriesDefault} unless given).`,
    effect: 'read',
    input: Input,
    output: Output,
    run: async ({ path, entries_max = entriesDefault }) => {
      const listed = await root.list(path, entries_max);
      if (listed.ok) return ok({ entries: [...listed.value] });
      const { kind, detail } = listed.fault;
      if (kind !== 'overflow') return listed;
      return fail(
        fault('overflow', `${detail}; give a larger entries_max (at most ${entriesMax}) or search by name`),
      );
    },
  });
