import {
  type Digest,
  fail,
  fault,
  fingerprint,
  type Json,
  ok,
  positionOf,
  type Result,
} from '@foldmesh/envelope';
import type { Inbox, Peeked } from '@foldmesh/ports';
import { describe, expect, it } from 'vitest';
import { type SkillRun, skillCall } from './skill-run.ts';
import { type Answers, doNothing, runOf } from './testing/skill-bench.ts';

const print = (tool: string, input: Json): Digest => fingerprint('tool.call', { tool, input });

/** What an earlier run of this task has left behind, by step. */
const leftBehind =
  (records: Readonly<Record<string, Result<Omit<Peeked, 'strikes' | 'tries'>>>>): Inbox['peek'] =>
  async ({ key }) => {
    const known = records[positionOf(key).step] ?? ok(undefined);
    return known.ok && known.value !== undefined ? ok({ strikes: 0, tries: 0, ...known.value }) : known;
  };

const doneRecord = (tool: string, input: Json, output: Json) =>
  ok({
    print: print(tool, input),
    label: `${tool} ${JSON.stringify(input)}`,
    stored: { outcome: { kind: 'done', output: { value: output } } },
  } as const);

describe('a re-run', () => {
  const again = (records: Parameters<typeof leftBehind>[0], answers: Answers = doNothing) => {
    const { run, ...rest } = runOf({ again: true }, answers);
    const rerun: SkillRun = { ...run, inbox: { ...run.inbox, peek: leftBehind(records) } };
    return { ...rest, run: rerun, calls: skillCall(rerun, '', rerun.call.signal) };
  };

  it('answers from what is stored, and goes over the bus for the rest', async () => {
    const refused = ok({
      print: print('t', 2),
      label: 't 2',
      stored: { outcome: { kind: 'failed', fault: fault('refused', 'no') } },
    } as const);
    const inFlight = ok({ print: print('t', 3), label: 't 3' });
    const elsewhere = ok({
      print: print('t', 4),
      label: 't 4',
      stored: { outcome: { kind: 'done', output: { ref: { digest: print('t', 4), bytes: 9 } } } },
    } as const);
    const { calls, steps, run } = again({
      0: doneRecord('t', 1, 'stored'),
      1: refused,
      2: inFlight,
      3: elsewhere,
    });
    expect(await calls.tool('t', 1)).toBe('stored');
    expect(await calls.tryTool('t', 2)).toMatchObject({ fault: { kind: 'refused' } });
    for (const input of [3, 4, 5]) expect(await calls.tool('t', input)).toBeNull();
    expect([steps(), run.toolCalls]).toEqual([['2', '3', '4'], 5]);
  });

  it('that finds an outcome unknown ends the task with it', async () => {
    const open = { call: 't 1', detail: 'no word' };
    const { calls, run, asked } = again({
      0: ok({ print: print('t', 1), label: 't 1', stored: { outcome: { kind: 'unknown', open } } }),
    });
    expect((await calls.tryTool('t', 1)).ok).toBe(false);
    expect([run.end, asked]).toEqual([{ kind: 'unknown', open }, []]);
  });

  it('asks the gateway where the store does not answer, or knows only that it was cancelled', async () => {
    const { calls, steps } = again({
      0: fail(fault('unavailable', 'away')),
      1: ok({ print: print('t', 2), label: 't 2', stored: { outcome: { kind: 'cancelled' } } }),
    });
    await calls.tool('t', 1);
    await calls.tool('t', 2);
    expect(steps()).toEqual(['0', '1']);
  });

  it('that does not repeat itself ends the task invalid, naming both calls', async () => {
    const { calls, run, asked } = again({ 0: doneRecord('bank.pay', { to: 'a' }, 'paid') });
    expect((await calls.tryTool('bank.pay', { to: 'b' })).ok).toBe(false);
    expect(run.end).toMatchObject({
      kind: 'failed',
      fault: {
        kind: 'invalid',
        detail:
          'the skill does not repeat itself: key acme/j-1/task/1/0/0 reused with different content: first bank.pay {"to":"a"}, now bank.pay {"to":"b"}',
      },
    });
    expect(asked).toEqual([]);
  });

  it('is told so by the gateway, too, and ends then as well', async () => {
    const reused = fault('invalid', 'key reused', { source: 'key_reused' });
    const { calls, run } = again({}, () => ({ kind: 'failed', fault: reused }));
    await calls.tryTool('t', 1);
    expect(run.end).toEqual({ kind: 'failed', fault: reused });
  });

  it('of a first run asks no store: there can be nothing', async () => {
    const { calls, fake } = runOf();
    await calls.tool('t', 1);
    expect(fake.given('inbox.peek')).toEqual([]);
  });
});
