import type { Finding, Rule } from './rule.ts';

const lockfile = 'pnpm-lock.yaml';

/** No file holds a NUL, which turns it binary for every other tool, and the lockfile names no address. */
export const plainFiles: Rule = {
  name: 'plain-files',
  unit: 'files',
  lookedMin: 20,
  check: (tree) => {
    const findings = tree.paths.flatMap((path): Finding[] => {
      const text = tree.text(path);
      const nul = text.indexOf('\0');
      if (nul >= 0) return [{ path, line: lineAt(text, nul), wrong: 'a NUL; write it as an escape' }];
      const address = path === lockfile ? text.search(/https?:/) : -1;
      if (address < 0) return [];
      const wrong = 'an address in the lockfile; install again with lockfileIncludeTarballUrl off';
      return [{ path, line: lineAt(text, address), wrong }];
    });
    return { looked: tree.has(lockfile) ? tree.paths.length : 0, findings };
  },
};

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;
