import { expect, it } from 'vitest';
import { archivesIn, linesIn, stanzasIn } from './apt-sources.mjs';

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** The archives in one file of that text. */
const inLines = (text: string, codename = 'bookworm') =>
  archivesIn([{ path: 'sources.list', text }], codename);
const inStanzas = (text: string, codename = 'bookworm') =>
  archivesIn([{ path: 'debian.sources', text }], codename);

it.each([
  ['deb http://mirror.example/debian bookworm main', {}],
  ['deb\thttp://mirror.example/debian\tbookworm\tmain contrib non-free-firmware # the main one', {}],
  [`deb [signed-by=${keyring}] http://mirror.example/debian bookworm main`, { signedBy: keyring }],
  [
    `deb [ arch=amd64,arm64 Signed-By=${keyring} ] http://mirror.example/debian stable main`,
    { signedBy: keyring },
  ],
  ['deb [trusted=yes] http://mirror.example/debian testing main', { trusted: 'yes' }],
])('reads the line %j', (line, trust) => {
  expect(inLines(line)).toEqual([{ uri: 'http://mirror.example/debian', ...trust }]);
});

it.each([
  '# deb http://mirror.example/debian bookworm main',
  'deb-src http://mirror.example/debian bookworm main',
  'deb http://mirror.example/debian-security bookworm-security main',
  'deb http://mirror.example/debian bookworm-updates main',
  'deb http://mirror.example/debian bookworm contrib',
  'deb cdrom:[Debian GNU/Linux 12.0.0 _Bookworm_ - Official amd64 NETINST 20230610-10:21]/ bookworm main',
  'deb http://vendor.example/flat ./',
  'deb http://vendor.example/apt cloud-bookworm main',
  'deb',
  '',
])('takes nothing from the line %j', (line) => {
  expect(inLines(line)).toEqual([]);
});

it('reads what an installer wrote', () => {
  const text = `
    # deb cdrom:[Debian GNU/Linux 12.0.0 _Bookworm_]/ bookworm main
    deb http://one.example/debian/ bookworm main non-free-firmware
    deb-src http://one.example/debian/ bookworm main non-free-firmware

    deb http://security.example/debian-security bookworm-security main
    deb http://two.example/debian/ bookworm main
  `;
  expect(inLines(text)).toEqual([
    { uri: 'http://one.example/debian/' },
    { uri: 'http://two.example/debian/' },
  ]);
});

it('keeps the words of a disc together', () => {
  expect(linesIn('deb cdrom:[Debian 12 _B_ amd64]/ bookworm main')).toEqual([
    { types: ['deb'], uris: ['cdrom:[Debian 12 _B_ amd64]/'], suites: ['bookworm'], components: ['main'] },
  ]);
});

it('reads the stanzas of an image', () => {
  const text = `Types: deb
# http://snapshot.example/archive/debian/20250520T000000Z
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: ${keyring}

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main
Signed-By: ${keyring}
`;
  expect(stanzasIn(text)).toHaveLength(2);
  expect(inStanzas(text)).toEqual([{ uri: 'http://mirror.example/debian', signedBy: keyring }]);
});

it('reads fields in any case and order, several addresses, and lists of mirrors', () => {
  const text = `suites: trixie trixie-updates trixie-backports
types: deb deb-src
uris: mirror+file:///etc/apt/mirrors/debian.list
  https://two.example/debian
components: main
\t
Types: deb
URIs: file:/srv/debian
Suites: trixie
Components: main
Trusted: yes`;
  expect(inStanzas(text, 'trixie')).toEqual([
    { uri: 'mirror+file:///etc/apt/mirrors/debian.list' },
    { uri: 'https://two.example/debian' },
    { uri: 'file:/srv/debian', trusted: 'yes' },
  ]);
});

it.each(['no', 'No', 'false', '0', 'off'])('passes over a stanza that is "Enabled: %s"', (word) => {
  const text = `Enabled: ${word}\nTypes: deb\nURIs: http://mirror.example/debian\nSuites: bookworm\nComponents: main`;
  expect(inStanzas(text)).toEqual([]);
  expect(inStanzas(text.replace(word, 'yes'))).toHaveLength(1);
});

it('keeps a key that stands in the file, line for line', () => {
  const key =
    ' -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n mQINBGPL0BUBEADmW5NdOOHwPIJlgPu6JDcKw\n -----END PGP PUBLIC KEY BLOCK-----';
  const text = `Types: deb\nURIs: http://mirror.example/debian\nSuites: bookworm\nComponents: main\nSigned-By:\n${key}\n`;
  expect(inStanzas(text)[0]?.signedBy).toBe(`\n${key}`);
});

it("prefers what signs with the distribution's keys, then what is called like it", () => {
  const vendor = 'deb [signed-by=/usr/share/keyrings/vendor.gpg] https://vendor.example/apt bookworm main';
  const mirror = 'deb http://mirror.example/debian/ bookworm main';
  const signed = `deb [signed-by=${keyring}] http://mirror.example/copy bookworm main`;
  const uris = (...lines: string[]) => inLines(lines.join('\n')).map(({ uri }) => uri);
  expect(uris(vendor, mirror, signed)).toEqual(['http://mirror.example/copy']);
  expect(uris(vendor, mirror, mirror)).toEqual(['http://mirror.example/debian/']);
  expect(uris(vendor)).toEqual(['https://vendor.example/apt']);
  expect(uris()).toEqual([]);
});
