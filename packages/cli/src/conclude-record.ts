import type { Json } from '@foldmesh/envelope';
import type { JobRecord } from '@foldmesh/job';
import { type ExitCode, exitCodes, type Shell } from './command.ts';

export interface Conclusion {
  /** Print the record as the last line. */
  readonly json: boolean;
  /** Why it had to stop, where the record does not say. */
  readonly detail?: string;
}

/** Of a job that has ended: its result on standard output for people, the record for programs; reasons on standard error. */
export const concludeRecord = (shell: Shell, record: JobRecord, { json, detail }: Conclusion): ExitCode => {
  if (json) shell.out(`${JSON.stringify(record)}\n`);
  else if (record.result !== undefined) shell.out(textOf(record.result));
  if (record.status !== 'completed') {
    shell.err(`${endText(record, detail)}\n`);
    return exitCodes.failed;
  }
  sayGaps(shell, record);
  return exitCodes.done;
};

const gapsShownMax = 5;

/** A job that completes without some of its tasks says which and why: nothing is left out without a word. */
const sayGaps = (shell: Shell, { tasks }: JobRecord): void => {
  const gaps = tasks.filter(({ status }) => status !== 'completed');
  if (gaps.length === 0) return;
  const told = gaps.slice(0, gapsShownMax).map(({ id, status, fault, skipped_because }) => {
    const why = fault?.detail ?? (skipped_because === undefined ? '' : `${skipped_because} did not complete`);
    return `${id} ${status}${why === '' ? '' : `: ${why.split('\n')[0]}`}`;
  });
  const more = gaps.length > gapsShownMax ? `; and ${gaps.length - gapsShownMax} more` : '';
  shell.err(`completed without ${gaps.length} of ${tasks.length} tasks: ${told.join('; ')}${more}\n`);
};

const textOf = (result: Json): string =>
  typeof result === 'string' ? `${result.trimEnd()}\n` : `${JSON.stringify(result, null, 2)}\n`;

const endText = ({ id, status, end_reason, fault, receipt }: JobRecord, detail = ''): string => {
  const why = fault === undefined ? detail : `${fault.kind}: ${fault.detail}`;
  return `job ${id} ${status} (${end_reason})${why === '' ? '' : `: ${why}`}${receipt === undefined ? '' : `; ${receiptText(receipt)}`}`;
};

export const receiptText = ({ completed, stopped, silent }: NonNullable<JobRecord['receipt']>): string =>
  `${completed} tasks had completed, ${stopped.length} were stopped${silent.length > 0 ? `, no word from ${silent.join(', ')}` : ''}`;
