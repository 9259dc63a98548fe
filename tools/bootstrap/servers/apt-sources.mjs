// Where this machine gets its packages from, read out of its own files in both of their forms: one line for each source,
// and stanzas of fields. Nothing here looks at the machine: text in, archives out.

/**
 * What has to be known of an archive to ask it for other packages; trust is carried over as the machine has it.
 * @typedef {{ readonly uri: string, readonly signedBy?: string, readonly trusted?: string }} Archive
 * @typedef {{ readonly types: readonly string[], readonly uris: readonly string[], readonly suites: readonly string[],
 *   readonly components: readonly string[], readonly signedBy?: string, readonly trusted?: string }} Source
 * @typedef {{ readonly path: string, readonly text: string }} SourcesFile
 */

const rolling = ['oldstable', 'stable', 'testing', 'unstable', 'sid'];

/**
 * The archives that serve the distribution itself, most likely first: others may call their suites the same, but do not
 * sign with its keys, nor serve from a folder of its name.
 * @param {readonly SourcesFile[]} files
 * @param {string} codename of the release that runs here
 * @returns {Archive[]}
 */
export const archivesIn = (files, codename) => {
  const suites = new Set([codename, ...rolling]);
  const ranked = files
    .flatMap(({ path, text }) => (path.endsWith('.sources') ? stanzasIn(text) : linesIn(text)))
    .filter(({ types, components }) => types.includes('deb') && components.includes('main'))
    .filter((source) => source.suites.some((suite) => suites.has(suite)))
    .flatMap(({ uris, signedBy, trusted }) => uris.map((uri) => archiveOf(uri, signedBy, trusted)))
    .filter(({ uri }) => !uri.startsWith('cdrom:'))
    .map((archive) => ({ archive, rank: rankOf(archive) }));
  const best = Math.min(...ranked.map(({ rank }) => rank));
  const archives = ranked.filter(({ rank }) => rank === best).map(({ archive }) => archive);
  return archives.filter(({ uri }, index) => archives.findIndex((other) => other.uri === uri) === index);
};

/** @param {string} uri @param {string} [signedBy] @param {string} [trusted] @returns {Archive} */
const archiveOf = (uri, signedBy, trusted) => ({
  uri,
  ...(signedBy === undefined ? {} : { signedBy }),
  ...(trusted === undefined ? {} : { trusted }),
});

/** @param {Archive} archive */
const rankOf = ({ uri, signedBy }) => {
  if (signedBy?.includes('debian-archive')) return 0;
  return /\/debian(\.list)?\/?$/.test(uri) ? 1 : 2;
};

/**
 * Sources of the form `deb [name=value …] uri suite component …`.
 * @param {string} text
 * @returns {Source[]}
 */
export const linesIn = (text) =>
  text.split('\n').flatMap((line) => {
    // The name of a disc stands in brackets, with spaces, inside of its address.
    const form = /^\s*(deb|deb-src)\s+(?:\[([^\]]*)\]\s*)?((?:[^\s[#]|\[[^\]]*\])+)\s+([^#]*)/.exec(line);
    if (form === null) return [];
    const [, type = '', settings = '', uri = '', rest = ''] = form;
    const [suite = '', ...components] = rest.trim().split(/\s+/);
    const named = new Map(
      settings
        .trim()
        .split(/\s+/)
        .map((setting) => [setting.split('=')[0]?.toLowerCase() ?? '', setting.replace(/^[^=]*=/, '')]),
    );
    return [sourceOf([type], [uri], [suite], components, named.get('signed-by'), named.get('trusted'))];
  });

/**
 * Sources as stanzas of fields, whose names are written in any case and whose values may go on in indented lines.
 * @param {string} text
 * @returns {Source[]}
 */
export const stanzasIn = (text) =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .split(/\n(?:[ \t\r]*\n)+/)
    .flatMap((stanza) => {
      const fields = fieldsIn(stanza);
      if (/^(no|false|without|off|disable|0)$/i.test(fields.get('enabled')?.trim() ?? '')) return [];
      const words = (/** @type {string} */ name) =>
        (fields.get(name) ?? '').split(/\s+/).filter((word) => word !== '');
      const trust = [fields.get('signed-by'), fields.get('trusted')?.trim()];
      return [sourceOf(words('types'), words('uris'), words('suites'), words('components'), ...trust)];
    });

/**
 * @param {string} stanza
 * @returns {Map<string, string>} a value keeps its lines: a whole key may stand in one
 */
const fieldsIn = (stanza) =>
  new Map(
    [...stanza.matchAll(/^([^\s:]+):[ \t]*(.*(?:\n[ \t].*)*)/gm)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      value.trimEnd(),
    ]),
  );

/**
 * @param {string[]} types
 * @param {string[]} uris
 * @param {string[]} suites
 * @param {string[]} components
 * @param {string} [signedBy]
 * @param {string} [trusted]
 * @returns {Source}
 */
const sourceOf = (types, uris, suites, components, signedBy, trusted) => ({
  types,
  uris,
  suites,
  components,
  ...(signedBy === undefined ? {} : { signedBy }),
  ...(trusted === undefined ? {} : { trusted }),
});
