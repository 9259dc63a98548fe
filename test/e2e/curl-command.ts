/** A request as somebody would make it with `curl`. */
export interface CurlRequest {
  readonly url: string;
  readonly init: RequestInit;
}

/** The requests of a text of shell commands that are `curl` and nothing else, one to a line; an option that is none is an error. */
export const curlRequests = (text: string): readonly CurlRequest[] => commandsIn(text).map(requestOf);

/** Words as a shell has them: blanks part them, quotes hold them together, and a line ends a command. */
const commandsIn = (text: string): readonly (readonly string[])[] => {
  const commands: string[][] = [[]];
  for (const [token, single, double, bare] of text.matchAll(/\n|'([^']*)'|"([^"]*)"|([^\s'"]+)/g)) {
    const word = single ?? double ?? bare;
    if (token === '\n') commands.push([]);
    else if (word !== undefined) commands.at(-1)?.push(word);
  }
  return commands.filter((words) => words.length > 0);
};

const requestOf = ([command, ...words]: readonly string[]): CurlRequest => {
  if (command !== 'curl') throw new Error(`${command} is not curl`);
  const headers = new Headers();
  let url: string | undefined;
  let method: string | undefined;
  let body: string | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (/^-[sSNi]+$/.test(word)) continue;
    if (word === '-X') method = words[++at];
    else if (word === '-H') headers.append(...headerIn(words[++at] ?? ''));
    else if (word === '-d') body = words[++at];
    else if (word.startsWith('-') || url !== undefined)
      throw new Error(`curl is not known to take ${word} here`);
    else url = word;
  }
  if (url === undefined) throw new Error('curl asks nobody');
  if (body !== undefined && !headers.has('content-type'))
    headers.set('content-type', 'application/x-www-form-urlencoded');
  return {
    url,
    init: {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers,
      ...(body !== undefined && { body }),
    },
  };
};

const headerIn = (text: string): [string, string] => {
  const colon = text.indexOf(':');
  return [text.slice(0, colon), text.slice(colon + 1).trim()];
};
