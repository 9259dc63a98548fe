import { isJsonObject, type Json, type RawHeaders, sha256Hex } from '@foldmesh/envelope';

/** What happened in a world, line by line: who said what to whom, what it answered, and who died. */
export interface History {
  say(who: string, what: string): void;
  /** One answered port call. */
  call(who: string, call: string, given: readonly unknown[], answer: unknown): void;
  readonly lines: readonly string[];
  /** Port calls that were answered, waiting left out. */
  steps(): number;
  /** Names the whole history: the same seed gives the same (M9). */
  hash(): string;
}

/** Asked for all the time whatever happens: in a history they would hide the rest. */
const quiet: ReadonlySet<string> = new Set([
  'clock.sleep',
  'index.list',
  'bus.subscribe',
  'subscription.close',
]);

/** Where it is not to be kept, nothing is written down: then it has no lines, and no name. */
export const historyOf = (now: () => number, kept: boolean): History => {
  const lines: string[] = [];
  let steps = 0;
  const say = (who: string, what: string): void => {
    if (!kept) return;
    lines.push(`${(now() / 1000).toFixed(3).padStart(9)} s  ${who.padEnd(10)} ${what}`);
  };
  return {
    say,
    call(who, call, given, answer) {
      if (quiet.has(call)) return;
      steps += 1;
      if (!kept) return;
      const came = answerText(answer);
      if (call === 'subscription.pull' && came === '') return;
      say(who, `${call} ${given.map(givenText).filter(Boolean).join(' ')}${came === '' ? '' : ` → ${came}`}`);
    },
    lines,
    steps: () => steps,
    hash: () => sha256Hex(lines.join('\n')),
  };
};

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => isJsonObject(value as Json); // it only asks for an object

/** What a port call is about, short enough to stand in a line. */
const givenText = (given: unknown): string => {
  if (typeof given === 'string') return given.startsWith('mesh.') ? given : given.slice(0, 12);
  if (typeof given === 'number') return String(given);
  if (!isFields(given) || given instanceof Uint8Array || given instanceof AbortSignal) return '';
  if ('Mesh-Key' in given) return headersText(given as RawHeaders); // only raw headers have it
  if (typeof given['subject'] === 'string') return sealedText(given);
  if (isFields(given['entity'])) return `${entityText(given['entity'])} after ${given['expected']}`;
  if ('key' in given)
    return `${given['type']} ${given['key']}${'token' in given ? `#${given['token']}` : ''}`;
  if ('job' in given) return entityText(given);
  if (isFields(given['outcome'])) return String(given['outcome']['kind']);
  if (typeof given['model'] === 'string') return given['model'];
  return '';
};

const headersText = (headers: RawHeaders): string => `${headers['Mesh-Type']} ${headers['Mesh-Key']}`;

const sealedText = ({ subject, headers }: Fields): string =>
  isFields(headers)
    ? `${headers['type']} ${headers['key']} attempt ${headers['attempt']} epoch ${headers['epoch']} to ${String(subject).split('.').slice(4, 7).join('.')}`
    : String(subject);

const entityText = ({ job, run, id }: Fields): string => {
  if (id !== undefined) return String(id);
  return isFields(run) ? `${job}/${run['task']}` : String(job);
};

const answerText = (answer: unknown): string => {
  if (typeof answer === 'string') return answer;
  if (Array.isArray(answer))
    return answer
      .map((one) => (isFields(one) && isFields(one['headers']) ? givenText(one['headers']) : ''))
      .join(', ');
  if (!isFields(answer)) return '';
  if (answer['ok'] === false) return `fault ${isFields(answer['fault']) ? answer['fault']['kind'] : ''}`;
  const value = answer['value'];
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (!isFields(value)) return '';
  const { kind, seq, duplicate, strikes, token } = value;
  return [
    kind,
    seq !== undefined && `entry ${seq}`,
    token !== undefined && `#${token}`,
    typeof strikes === 'number' && strikes > 0 && `strikes ${strikes}`,
    duplicate === true && 'duplicate',
  ]
    .filter((word) => typeof word === 'string')
    .join(' ');
};
