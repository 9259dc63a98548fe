import { writeFileSync } from 'node:fs';
import { freeze, frozenFolders } from './frozen-files.ts';
import { jsonSchemas } from './json-schemas.ts';
import { testVectors, vectorsPath } from './test-vectors.ts';

// Run at the root: `pnpm wire publish` writes the schemas and vectors anew, `pnpm wire freeze` lists fixtures that were added.

const asText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const commands: Readonly<Record<string, () => readonly string[]>> = {
  publish: () => {
    const files = new Map<string, unknown>([...jsonSchemas(), [vectorsPath, testVectors()]]);
    for (const [path, value] of files) writeFileSync(path, asText(value));
    return [...files.keys()];
  },
  freeze: () => frozenFolders.flatMap((folder) => freeze(folder).map((file) => `${folder}/${file}`)),
};

const [, , name = ''] = process.argv;
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (command === undefined) throw new Error(`say one of ${Object.keys(commands).join(', ')}, not "${name}"`);
process.stdout.write(
  command()
    .map((path) => `${path}\n`)
    .join(''),
);
