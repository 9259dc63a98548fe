// What the repository runs on. Node 24 is the first that strips types from files with `await using`; pnpm 11 crashes on
// Node 20, which may still be the one that starts us.

export const nodeVersion = '24.22.3';
export const pnpmVersion = '10.34.9';

/**
 * Whether `found`, as `v24.1.0` or `24.1.0`, is `least` or newer. Anything unreadable is too old.
 * @param {string} found
 * @param {string} least
 */
export const atLeast = (found, least) => {
  const have = parts(found);
  const want = parts(least);
  if (have === undefined || want === undefined) return false;
  const at = want.findIndex((part, index) => part !== have[index]);
  return at < 0 || Number(have[at]) > Number(want[at]);
};

/** @param {string} version */
export const isNode = (version) => atLeast(version, '24.0.0');

/** @param {string} version */
export const isPnpm = (version) => atLeast(version, pnpmVersion) && !atLeast(version, '11.0.0');

/**
 * @param {string} version
 * @returns {number[] | undefined}
 */
const parts = (version) => /^v?(\d+)\.(\d+)\.(\d+)/.exec(version.trim())?.slice(1).map(Number);
