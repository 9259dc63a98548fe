import { posix } from 'node:path';
import type { Finding, Rule } from './rule.ts';
import type { Tree } from './tree.ts';

const link = /\[[^\]]*\]\(([^)\s]+)\)/g;

/** Relative links of documents lead somewhere, to a file or folder and to the heading they name. */
export const links: Rule = {
  name: 'links',
  unit: 'documents',
  lookedMin: 1,
  check: (tree) => {
    const paths = tree.paths.filter((path) => path.endsWith('.md'));
    return { looked: paths.length, findings: paths.flatMap((path) => deadLinks(tree, path)) };
  },
};

const deadLinks = (tree: Tree, path: string): Finding[] =>
  withoutFences(tree.text(path))
    .split('\n')
    .flatMap((text, index) =>
      [...text.replace(/`[^`]*`/g, '').matchAll(link)].flatMap(([, target = '']) => {
        const wrong = faultOf(tree, path, target);
        return wrong === undefined ? [] : [{ path, line: index + 1, wrong }];
      }),
    );

const faultOf = (tree: Tree, from: string, target: string): string | undefined => {
  if (/^[a-z]+:/.test(target)) return undefined;
  const [file = '', heading] = target.split('#');
  const path = file === '' ? from : posix.join(posix.dirname(from), decodeURI(file)).replace(/\/$/, '');
  const isFolder = path === '.' || tree.paths.some((one) => one.startsWith(`${path}/`));
  if (!isFolder && !tree.has(path)) return `${target} leads nowhere; mend the path or take the link out`;
  if (heading === undefined || !path.endsWith('.md')) return undefined;
  return headingsOf(tree.text(path)).has(heading)
    ? undefined
    : `${target} names no heading of ${path}; mend it`;
};

/** Headings as anchors, in the way of GitHub. */
const headingsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...withoutFences(text).matchAll(/^#+ +(.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-'),
    ),
  );

/** Keeps the count of lines, so that a finding names the right one. */
const withoutFences = (text: string): string =>
  text.replace(/^```.*?^```/gms, (fence) => fence.replace(/[^\n]/g, ''));
