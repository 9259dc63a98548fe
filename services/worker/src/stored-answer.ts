import { cut, fingerprint, type Json, type Key } from '@foldmesh/envelope';
import type { Inbox } from '@foldmesh/ports';
import { reusedFault } from '@foldmesh/runtime';
import type { ToolAnswer } from './tool-caller.ts';

/** What an earlier run of this task got for the same number, if it is still known and small enough to lie in the store. */
export const storedAnswer = async (
  inbox: Pick<Inbox, 'peek'>,
  key: Key,
  tool: string,
  input: Json,
): Promise<ToolAnswer | undefined> => {
  const known = await inbox.peek({ type: 'tool.call', key });
  if (!known.ok || known.value === undefined) return undefined;
  const { print, label, stored } = known.value;
  if (print !== fingerprint('tool.call', { tool, input })) {
    const reused = reusedFault(key, label, toolLabel(tool, input));
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

const labelBytesMax = 200;

/** `files.read {"path":"…"}`: how a call is named to people. */
const toolLabel = (tool: string, input: Json): string =>
  cut(`${tool} ${JSON.stringify(input)}`, labelBytesMax);
