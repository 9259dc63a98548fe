import type { Reporter } from 'knip';

/** A knip reporter that says how many files were read, so that a run which read none does not pass. */
const countFiles: Reporter = ({ counters }) => console.log(`unused: read ${counters.total} files`);

export default countFiles;
