/** A bug as one line of the source: found there word for word, exactly once, or the test says that it is gone. */
export interface Mutation {
  readonly bug: string;
  /** From the root of the repository. */
  readonly file: string;
  readonly line: string;
  readonly becomes: string;
  /** What is violated, as the judge says it. */
  readonly says: RegExp;
}

const claim = 'packages/runtime/src/claim.ts';
const endings = 'packages/runtime/src/claim-endings.ts';
const turn = 'packages/runtime/src/turn.ts';

/** Bugs that people have really written into systems like this one, each found by some seed. */
export const mutations: readonly Mutation[] = [
  {
    bug: 'the claim is skipped',
    file: claim,
    line: 'const claim = claimed.value;',
    becomes: "const claim = { kind: 'won', token: -1, strikes: 0, tries: 0, fresh: true } as Claim;",
    says: /^M(1|2): /,
  },
  {
    bug: 'an ack before the append',
    file: turn,
    line: "invariant(first !== undefined, 'M1: a turn has a letter');",
    becomes:
      "invariant(first !== undefined, 'M1: a turn has a letter'); for (const { delivery } of letters) await delivery.ack();",
    says: /^M(1|10): /,
  },
  {
    bug: 'a retry goes by the wire id of the attempt that failed',
    file: 'packages/envelope/src/seal.ts',
    line: 'const id = wireIdOf(draft.type, draft.key, draft.attempt, stamp.epoch);',
    becomes: 'const id = wireIdOf(draft.type, draft.key, 1, stamp.epoch);',
    says: /^M1: .* was dropped as a copy of attempt/,
  },
  {
    bug: 'answers are counted, and not distinct ones',
    file: 'packages/run/src/decide.ts',
    line: "if (found === undefined || found.call.status !== 'sent') return [];",
    becomes: 'if (found === undefined) return [];',
    says: /^(M4|M5|M6|M8): /,
  },
  {
    bug: 'a lease that still runs is taken over',
    file: 'packages/embedded/src/inbox-claim.ts',
    line: "if (leaseLeftMs > 0) return { kind: 'held', leaseLeftMs };",
    becomes: '',
    says: /^M2: .* has happened \d+ times|^M6: .* has a strike/,
  },
  {
    bug: 'a hand-back is a strike',
    file: endings,
    line: 'const grip = await host.ports.inbox.release(held, made);',
    becomes: "const grip = { ok: true, value: 'held', held } as { ok: true; value: 'held' | 'lost' };",
    says: /^M6: .* has a strike, and whoever had it has lost nothing/,
  },
  {
    bug: 'a redelivery is answered as done while the first is in flight',
    file: claim,
    line: "return { kind: 'hand_back', delayMs: claim.leaseLeftMs };",
    becomes:
      "return { kind: 'settled', stored: { outcome: { kind: 'done', output: { value: claim.leaseLeftMs } } }, strikes: 0 };",
    says: /^(M2|END): /,
  },
  {
    bug: 'an outcome is said and never stored',
    file: endings,
    line: 'const grip = await inbox.complete(',
    becomes: "const grip = await ((of: Held, ..._: readonly unknown[]) => inbox.release(of, 'nothing'))(",
    says: /^M2: .* has happened \d+ times/,
  },
  {
    bug: 'a copy is answered with nothing',
    file: claim,
    line: "return { kind: 'settled', stored: claim.outcome, strikes: 0 };",
    becomes:
      "return { kind: 'settled', stored: { outcome: { kind: 'done', output: { value: null } } }, strikes: 0 };",
    says: /^END: .* gives another output/,
  },
  {
    bug: 'the index is not told when a job wakes',
    file: 'services/manager/src/live-jobs.ts',
    line: '...(wake_at !== undefined && { wake_at }),',
    becomes: '',
    says: /^M10: .* nothing wakes it/,
  },
  {
    bug: 'a snapshot counts without its tail',
    file: 'packages/runtime/src/entity-log.ts',
    line: 'while (loaded.seq < to) {',
    becomes: 'while (base.seq === 0 && loaded.seq < to) {',
    says: /^M(1|8): /,
  },
  {
    bug: 'a late reply counts for the next question',
    file: 'packages/run/src/decide.ts',
    line: 'state.asked?.step !== Number(step) ||',
    becomes: '',
    says: /^M5: .* which no model has served it/,
  },
  {
    bug: 'a cancel without the mark',
    file: 'services/manager/src/halt-work.ts',
    line: 'const marked = await inbox.halt(tenant, job, clock.now() + limits.requestMs + host.settings.ackWaitMs);',
    becomes: 'const marked = await inbox.generation();',
    says: /^M3: .* the dedup store would still let its work begin/,
  },
  {
    bug: 'an unsafe effect leaves before the store knows',
    file: 'services/tool-gateway/src/service.ts',
    line: 'const started = await call.start();',
    becomes: "const started = { ok: true, value: 'held' } as Awaited<ReturnType<typeof call.start>>;",
    says: /^M2: .* has happened \d+ times/,
  },
  {
    bug: 'a decision on a stale read is stored',
    file: 'packages/embedded/src/embedded-journal.ts',
    line: "if (!fits) return ok({ kind: 'conflict' });",
    becomes: "if (!fits && before !== undefined) return ok({ kind: 'conflict' });",
    says: /^M(1|8): /,
  },
  {
    bug: 'what was decided before a crash is not sent again',
    file: turn,
    line: 'const from = said.repeats ? 0 : position;',
    becomes: 'const from = position;',
    says: /^M(1|10): /,
  },
  {
    bug: 'the heartbeat comes too late',
    file: 'packages/runtime/src/heartbeat.ts',
    line: 'const beatMs = Math.floor(ackWaitMs / 3);',
    becomes: 'const beatMs = 2 * ackWaitMs;',
    says: /^M6: .* has a strike, and whoever had it has lost nothing|^M2: .* nobody has fallen silent/,
  },
  {
    bug: 'a message is acked although its dead letter was not stored',
    file: 'packages/runtime/src/message.ts',
    line: 'if (await park(ports, delivery, reason)) await delivery.ack();',
    becomes: 'await delivery.ack(); if (await park(ports, delivery, reason)) return;',
    says: /^M6: an unreadable .* is 0 dead letters/,
  },
  {
    bug: 'what an unsafe effect came to is forgotten at once',
    file: endings,
    line: 'unsafe ? Math.max(deadline, now + jobLimits.wallMsMax) : deadline;',
    becomes: 'unsafe ? now - 10 * jobLimits.stoppingMs : deadline;',
    says: /^M2: .* has happened \d+ times/,
  },
  {
    bug: 'dependents of a task that failed run all the same',
    file: 'packages/job/src/evolve-task.ts',
    line: "if (to !== 'completed' && !optional) state.to_skip.push({ task: waiting, because: ordinal });",
    becomes: "if (to === 'unknown' && !optional) state.to_skip.push({ task: waiting, because: ordinal });",
    says: /^M4: .* has run before/,
  },
  {
    bug: 'a re-run of a skill numbers its calls anew',
    file: 'services/worker/src/tool-caller.ts',
    line: 'const draft: Draft = {',
    becomes:
      'if (by.strikes > 0) key = key.replace(/[^/]*$/, `again${by.strikes}`) as Key; const draft: Draft = {',
    says: /^M2: .* has happened \d+ times/,
  },
  {
    bug: 'a name that a manager does not find is refused at once',
    file: 'services/manager/src/not-yet-offered.ts',
    line: 'const isEarly = clock.now() < created_at + silentMs;',
    becomes: 'const isEarly = false;',
    says: /^END: .* is offered/,
  },
  {
    bug: 'a job goes on under another trace',
    file: turn,
    line: 'const trace_id = deciding.traceOf(loaded.value.state) ?? first.envelope.trace_id;',
    becomes: "const trace_id = first.envelope.trace_id.split('').reverse().join('') as TraceId;",
    says: /^M7: /,
  },
];
