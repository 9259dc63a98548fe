import { Defect, invariant, ok, positionOf, type Result } from '@foldmesh/envelope';
import type { Claim, Grip, Inbox, RecordId } from '@foldmesh/ports';
import type { Link } from './link.ts';
import { type RedisSettings, settingDefaults } from './settings.ts';
import { shared } from './shared.ts';
import { peekedOf, storedOf, textIn } from './stored-json.ts';

/** The dedup store on Redis: each transition is one script, lease time is the server's own (ADR 16). */
export const redisInbox = (link: Link, settings: RedisSettings): Inbox => {
  const {
    strikesMax = settingDefaults.strikesMax,
    unfinishedKeepMs: keepMs = settingDefaults.unfinishedKeepMs,
  } = settings;
  const gripOf = async (asked: Promise<Result<unknown>>): Promise<Result<Grip>> => {
    const answer = await asked;
    if (!answer.ok) return answer;
    const grip = answer.value;
    invariant(grip === 'held' || grip === 'lost' || grip === 'halted', `a script answered ${String(grip)}`);
    return ok(grip);
  };
  // All that journals at one time asks for the mark: who asks while an answer is under way gets the next one, together.
  const generation = shared(() =>
    link.ask((client) => client.storeGeneration(markKey, settings.random.hex(16))),
  );

  return {
    claim: async (request) => {
      const { print, owner, leaseMs, label } = request;
      const [record, halted] = keysOf(request);
      const answer = await link.ask((client) =>
        client.inboxClaim(
          record,
          halted,
          tokenKey(request),
          print,
          JSON.stringify(owner),
          JSON.stringify(label),
          Math.ceil(leaseMs),
          keepMs,
          strikesMax,
        ),
      );
      return answer.ok ? claimOf(answer.value) : answer;
    },
    renew: (held, leaseMs) =>
      gripOf(
        link.tell((client) => client.inboxRenew(...keysOf(held), held.token, Math.ceil(leaseMs), keepMs)),
      ),
    start: (held) => gripOf(link.ask((client) => client.inboxStart(...keysOf(held), held.token))),
    complete: (held, stored, keepUntil) => {
      const text = JSON.stringify(stored);
      return gripOf(
        link.tell((client) => client.inboxComplete(...keysOf(held), held.token, text, Math.ceil(keepUntil))),
      );
    },
    release: (held, made) => {
      const [count, told] = typeof made === 'object' ? ['try', JSON.stringify(made)] : [made, ''];
      return gripOf(
        link.tell((client) => client.inboxRelease(...keysOf(held), held.token, count, keepMs, told)),
      );
    },
    peek: async (id) => {
      const [record] = keysOf(id);
      const text = await link.ask((client) => client.get(record));
      if (!text.ok) return text;
      return text.value === null ? ok(undefined) : peekedOf(text.value);
    },
    halt: async (tenant, job, keepUntil) => {
      const marked = await link.ask((client) =>
        client.inboxHalt(haltKey(`${tenant}/${job}`), Math.ceil(keepUntil)),
      );
      return marked.ok ? ok(undefined) : marked;
    },
    generation: async () => {
      const mark = await generation();
      return mark.ok ? ok(String(mark.value)) : mark;
    },
  };
};

const claimOf = (answer: unknown): Result<Claim> => {
  invariant(Array.isArray(answer), 'a script answered no list');
  const [kind, first, strikes, tries, fresh] = answer;
  switch (kind) {
    case 'won':
      return ok({
        kind,
        token: Number(first),
        strikes: Number(strikes),
        tries: Number(tries),
        fresh: fresh === '1',
      });
    case 'held':
      return ok({ kind, leaseLeftMs: Number(first) });
    case 'settled': {
      const outcome = storedOf(String(first));
      return outcome.ok ? ok({ kind, outcome: outcome.value }) : outcome;
    }
    case 'reused': {
      const label = textIn(String(first), 'label');
      return label.ok ? ok({ kind, label: label.value }) : label;
    }
    case 'halted':
      return ok({ kind });
    case 'struck':
      return ok({ kind, strikes: Number(first) });
    default:
      throw new Defect(`a script answered ${String(kind)}`);
  }
};

const markKey = 'foldmesh:generation';

/** The braces keep all that is known of one job on one node, should there ever be several. */
const haltKey = (job: string): string => `foldmesh:{${job}}:halt`;

const keysOf = ({ type, key }: RecordId): readonly [string, string] => {
  const { tenant, job } = positionOf(key);
  const of = `${tenant}/${job}`;
  return [`foldmesh:{${of}}:inbox:${type}:${key.slice(of.length + 1)}`, haltKey(of)];
};

const tokenKey = ({ key }: RecordId): string => {
  const { tenant, job } = positionOf(key);
  return `foldmesh:{${tenant}/${job}}:token`;
};
