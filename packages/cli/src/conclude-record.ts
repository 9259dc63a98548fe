import type { Json } from '@foldmesh/envelope';
import type { JobRecord } from '@foldmesh/job';
import { type ExitCode, exitCodes, type Shell } from './command.ts';
import { faultText, wholeFaultText } from './fault-text.ts';

export interface Conclusion {
  /** Print the record as the last line. */
  readonly json: boolean;
  /** Why it had to stop, where the record does not say. */
  readonly detail?: string;
}

/** Of a job that has ended: its result on standard output for people, the record for programs; reasons on standard error. */
export const concludeRecord = (
  shell: Pick<Shell, 'out' | 'err'>,
  record: JobRecord,
  { json, detail }: Conclusion,
): ExitCode => {
  if (json) shell.out(`${JSON.stringify(record)}\n`);
  else if (record.result !== undefined) shell.out(textOf(record.result));
  if (record.status !== 'completed' || record.fault !== undefined) {
    shell.err(`${endText(record, detail)}\n`);
    return exitCodes.failed;
  }
  const gaps = gapsText(record);
  if (gaps !== undefined) shell.err(`${gaps}\n`);
  return exitCodes.done;
};

const gapsShownMax = 5;

/** That a job completed without some of its tasks: nothing is left out without a word. */
export const gapsCount = ({ status, tasks }: JobRecord): string | undefined => {
  const gaps = gapsIn(tasks).length;
  return status === 'completed' && gaps > 0
    ? `completed without ${gaps} of ${tasks.length} tasks`
    : undefined;
};

/** The same, with which they are and why. */
export const gapsText = (record: JobRecord): string | undefined => {
  const count = gapsCount(record);
  if (count === undefined) return undefined;
  const gaps = gapsIn(record.tasks);
  const told = gaps.slice(0, gapsShownMax).map(({ id, status, fault, skipped_because }) => {
    const why = fault?.detail ?? (skipped_because === undefined ? '' : `${skipped_because} did not complete`);
    return `${id} ${status}${why === '' ? '' : `: ${faultText(why)}`}`;
  });
  const more = gaps.length > gapsShownMax ? `; and ${gaps.length - gapsShownMax} more` : '';
  return `${count}: ${told.join('; ')}${more}`;
};

const gapsIn = (tasks: JobRecord['tasks']): JobRecord['tasks'] =>
  tasks.filter(({ status }) => status !== 'completed');

const textOf = (result: Json): string =>
  typeof result === 'string' ? `${result.trimEnd()}\n` : `${JSON.stringify(result, null, 2)}\n`;

const endText = ({ id, status, end_reason, fault, receipt }: JobRecord, detail = ''): string => {
  const why = fault === undefined ? detail : `${fault.kind}: ${wholeFaultText(fault.detail)}`;
  const reason = end_reason === fault?.kind ? undefined : end_reason;
  return `job ${id} ${status}${reasonText(status, reason)}${why === '' ? '' : `: ${why}`}${receipt === undefined ? '' : `; ${receiptText(receipt)}`}`;
};

/** Why it ended, where that is not what its status says. */
export const reasonText = (status: string, reason: string | undefined): string =>
  reason === undefined || reason === status ? '' : ` (${reason})`;

export const receiptText = ({ completed, stopped, silent }: NonNullable<JobRecord['receipt']>): string =>
  `${completed} tasks had completed, ${stopped.length} were stopped${silent.length > 0 ? `, no word from ${silent.join(', ')}` : ''}`;
