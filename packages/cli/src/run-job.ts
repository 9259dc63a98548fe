import { existsSync } from 'node:fs';
import {
  type CommandId,
  type JobId,
  type Json,
  type Result,
  type TenantId,
  TraceId,
} from '@foldmesh/envelope';
import { type JobState, recordOf } from '@foldmesh/job';
import { type Command, sendCommand } from '@foldmesh/manager';
import { blobValues, readResult } from '@foldmesh/runtime';
import { onSignals } from '@foldmesh/system';
import { type GaveUp, questionDesk, questionsIn } from './answer-questions.ts';
import { type ExitCode, exitCodes, exitOfFault, type Shell } from './command.ts';
import { concludeRecord } from './conclude-record.ts';
import { jobFeed } from './job-feed.ts';
import type { LocalMesh } from './local-mesh.ts';
import { progressOn } from './progress.ts';

/** An embedded mesh serves whoever runs it. */
const tenant = 'local' as TenantId;
const stopGraceMs = 2_000;
const sameInterruptMs = 300;

export interface RunSettings {
  /** Print the record as the last line. */
  readonly json: boolean;
  /** What every question to a person is answered with. Without it they are asked on the terminal. */
  readonly answer: string | undefined;
  /** What may be behind a fault that says of its input that it is wrong. */
  readonly hint: string | undefined;
}

/** Submits one job, shows it to its end, says its result. Ctrl-C cancels it and waits for the receipt; a second one kills. */
export const runJob = async (
  shell: Shell,
  local: LocalMesh,
  spec: Json,
  { json, answer, hint }: RunSettings,
): Promise<ExitCode> => {
  const { ports } = local;
  const job = `j-${ports.random.hex(8)}` as JobId; // hex digits make a token
  const trace_id = TraceId.parse(ports.random.hex(16));
  const feeding = new AbortController();
  const say = (command: Command): Promise<Result<unknown>> => {
    const id = `c-${ports.random.hex(8)}` as CommandId; // hex digits make a token
    const traceparent = `00-${trace_id}-${ports.random.hex(8)}-01`;
    return sendCommand({ ports }, command, { tenant, job, id, trace_id, traceparent });
  };
  const submitted = await say({ type: 'job.submit', payload: { spec } });
  if (!submitted.ok) {
    shell.err(`the job was not accepted: ${submitted.fault.detail}\n`);
    return exitOfFault(submitted.fault);
  }
  let interruptedAt: number | undefined;
  const interrupt = (): void => {
    const now = ports.clock.monotonic();
    // A group kill, like that of timeout(1), may signal us and whoever passes signals on to us: that is one interrupt.
    if (interruptedAt !== undefined && now - interruptedAt < sameInterruptMs) return;
    if (interruptedAt !== undefined) shell.exit(exitCodes.interrupted);
    interruptedAt = now;
    shell.err('cancelling; once more kills it\n');
    cancel('interrupted at the command line');
  };
  const cancel = (reason: string): void => {
    cancelled = say({ type: 'job.cancel', payload: { reason } });
  };
  let cancelled: Promise<Result<unknown>> | undefined;
  let gaveUp: GaveUp | undefined;
  const questions = questionDesk(
    shell,
    answer,
    async (request, value) => {
      const sent = await say({ type: 'run.answer', payload: { request, value, by: 'command line' } });
      if (!sent.ok) shell.err(`the answer was not taken: ${sent.fault.detail}\n`);
    },
    (why) => {
      gaveUp = why;
      cancel(
        why === 'misfit' ? 'the given answer is none to its question' : 'a question that nobody could answer',
      );
    },
  );
  let last: JobState | undefined;
  {
    await using _ = onSignals({ SIGINT: interrupt, SIGTERM: interrupt });
    const broken = local.mesh.failed.then((error) => {
      shell.err(`the mesh ended by a defect: ${String(error)}\n`);
      feeding.abort();
    });
    {
      await using progress = progressOn(shell.screen, ports.clock);
      for await (const step of jobFeed(ports, tenant, job, feeding.signal)) {
        last = step.state;
        progress.show(step);
        for (const question of questionsIn(step.events)) questions.put(question);
      }
    }
    if (feeding.signal.aborted) await broken;
    await cancelled;
    await questions.end();
  }
  const code = last === undefined ? exitCodes.failed : await conclude(shell, local, last, json);
  if (hint !== undefined && last?.fault?.kind === 'invalid') shell.err(`${hint}\n`);
  await local.mesh.stop(stopGraceMs);
  // Its job was cancelled for what was written on the command line.
  return gaveUp === 'misfit' ? exitCodes.badInput : code;
};

/** The record with its result, fetched from where its parts lie. */
const conclude = async (
  shell: Shell,
  { ports, durability, filesOf }: LocalMesh,
  state: JobState,
  json: boolean,
): Promise<ExitCode> => {
  const record = recordOf(state, ports.clock.now(), durability);
  const result = record.status === 'completed' ? await readResult(state, blobValues(ports.blobs)) : undefined;
  if (result?.ok === false) shell.err(`the result cannot be read: ${result.fault.detail}\n`);
  const whole = { ...record, ...(result?.ok === true && { result: result.value }) };
  const detail = state.stopping?.detail;
  const code = concludeRecord(shell, whole, { json, ...(detail !== undefined && { detail }) });
  const files = filesOf(tenant, record.id);
  if (code === exitCodes.done && existsSync(files)) shell.err(`files: ${files}\n`);
  return result?.ok === false ? exitCodes.failed : code;
};
