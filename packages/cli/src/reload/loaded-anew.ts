import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const mark = 'reload';

/** What was loaded, and the files of the user that it came from. */
export interface Loaded<T> {
  readonly value: T;
  readonly files: readonly string[];
}

/**
 * Loads definitions again, and what they import by a path, as they are now: Node keeps every module under its address for
 * as long as the process lives, so each generation has addresses of its own. What they import by a package's name stays
 * one: a tool's `pause` must be the one that the gateway knows. Earlier generations stay in memory: it is for development.
 */
export const loadedAnew = async <T>(generation: number, load: () => Promise<T>): Promise<Loaded<T>> => {
  const files = new Set<string>();
  const ours = new Set<string>();
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const isDefinition = specifier.startsWith('file:');
      const isTheirs = /^\.{0,2}\//.test(specifier) && ours.has(context.parentURL ?? '');
      if (!resolved.url.startsWith('file:') || (!isDefinition && !isTheirs)) return resolved;
      files.add(fileURLToPath(resolved.url));
      const url = generation === 0 ? resolved.url : `${resolved.url}?${mark}=${generation}`;
      ours.add(url);
      return { ...resolved, url };
    },
  });
  try {
    return { value: await load(), files: [...files] };
  } finally {
    hooks.deregister();
  }
};

/** A sentence about a file without what only its address needs. */
export const withoutMark = (text: string): string => text.replaceAll(new RegExp(`\\?${mark}=\\d+`, 'g'), '');
