import { failed, type SkillCall, z } from '@foldmesh/sdk';
import { detectLicences, isLicenceFile } from './licence-text.ts';
import { declaredLicence, type Finding, judge } from './verdict.ts';

export const Entry = z.object({ name: z.string(), kind: z.enum(['file', 'directory', 'link', 'other']) });
const Listing = z.object({ entries: z.array(Entry) });
const Text = z.object({ text: z.string() });
const Manifest = z.object({ name: z.string(), version: z.string().optional() });

const manifestBytesMax = 256 * 1024;
const licenceBytesMax = 64 * 1024;

export const listFolder = async (call: SkillCall, path: string): Promise<readonly z.infer<typeof Entry>[]> =>
  Listing.parse(await call.tool('files.list', { path })).entries;

const readText = async (call: SkillCall, path: string, bytes_max: number): Promise<string> =>
  Text.parse(await call.tool('files.read', { path, bytes_max })).text;

/** Reads a package's manifest and licence texts through the gateway, and judges. */
export const inspectPackage = async (call: SkillCall, path: string): Promise<Finding> => {
  const manifest = parseManifest(path, await readText(call, `${path}/package.json`, manifestBytesMax));
  const files = (await listFolder(call, path)).filter(
    ({ name, kind }) => kind === 'file' && isLicenceFile(name),
  );
  const texts: string[] = [];
  for (const { name } of files) texts.push(await readText(call, `${path}/${name}`, licenceBytesMax));
  const detected = [...new Set(texts.flatMap(detectLicences))];
  const declared = declaredLicence(manifest);
  const { name, version = '' } = Manifest.parse(manifest);
  return {
    path,
    name,
    version,
    declared,
    detected,
    texts: files.map((file) => `${path}/${file.name}`),
    ...judge(declared, detected, files.length),
  };
};

const parseManifest = (path: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw failed('invalid', `${path}/package.json is no JSON: ${String(error)}`);
  }
};
