import { cut, fingerprint, type Key } from '@foldmesh/envelope';
import type { Inbox, Peeked } from '@foldmesh/ports';
import { reusedFault } from '@foldmesh/runtime';
import { type Asked, askedTypes, type ToolAnswer } from './tool-caller.ts';

type Known = Pick<Inbox, 'peek'>;

/** What an earlier run of this task got for the same number, if it is still known and small enough to lie in the store. */
export const storedAnswer = async (inbox: Known, key: Key, asked: Asked): Promise<ToolAnswer | undefined> => {
  const known = await knownAt(inbox, key, asked.type);
  if (known === undefined) return undefined;
  const { print, label, stored } = known;
  if (print !== fingerprint(asked.type, asked.payload)) {
    const reused = reusedFault(key, label, askedLabel(asked));
    return {
      kind: 'failed',
      fault: { ...reused, detail: `the skill does not repeat itself: ${reused.detail}` },
    };
  }
  if (stored === undefined) return undefined;
  const { outcome } = stored;
  if (outcome.kind !== 'done') return outcome.kind === 'cancelled' ? undefined : outcome;
  return 'value' in outcome.output ? { kind: 'done', output: outcome.output.value } : undefined;
};

/** Records are kept by type and key, and a re-run may ask another type at the same number: whatever lies there counts. */
const knownAt = async (inbox: Known, key: Key, type: Asked['type']): Promise<Peeked | undefined> => {
  const others = (Object.keys(askedTypes) as Asked['type'][]).filter((other) => other !== type); // its own keys
  for (const one of [type, ...others]) {
    const known = await inbox.peek({ type: one, key });
    if (known.ok && known.value !== undefined) return known.value;
  }
  return undefined;
};

const labelBytesMax = 200;

/** `files.read {"path":"…"}`, `memory.write {"text":"…"}`: how a call is named to people. */
const askedLabel = (asked: Asked): string => {
  const [name, given] =
    asked.type === 'tool.call' ? [asked.payload.tool, asked.payload.input] : [asked.type, asked.payload];
  return cut(`${name} ${JSON.stringify(given)}`, labelBytesMax);
};
