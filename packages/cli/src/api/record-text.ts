import type { JobRecord, TaskRecord } from '@foldmesh/job';
import { gapsCount, reasonText, receiptText } from '../conclude-record.ts';
import { faultText, wholeFaultText } from '../fault-text.ts';
import { durationText, statusMark, usageText, waitText } from '../live/row-text.ts';
import { timeText } from './print.ts';

const tasksShownMax = 60;

/** A job in words: how it is, each task, what people are asked, and its result or why there is none. */
export const recordText = (record: JobRecord): string => {
  const { id, name, status, end_reason, created_at, ended_at, fault, receipt, durability, trace_id } = record;
  const gaps = gapsCount(record);
  const took = ended_at === undefined ? '' : `, ended after ${durationText(ended_at - created_at)}`;
  const used = usageText(record.usage);
  const lines = [
    `${name}  ${id}`,
    `${status}${reasonText(status, end_reason)}${record.wait === undefined ? '' : `: ${waitText(record.wait, record.wait.since)}`}`,
    ...(gaps === undefined ? [] : [gaps]),
    `created ${timeText(created_at)}${took}; durability ${durability}; trace ${trace_id}`,
    ...(used === '' ? [] : [`used ${used}`]),
    ...taskLines(record.tasks),
    ...record.requests.flatMap(({ request, question }) => [
      `? ${question}`,
      `  foldmesh answer ${id} ${request}`,
    ]),
    ...(fault === undefined ? [] : [`${fault.kind}: ${wholeFaultText(fault.detail)}`]),
    ...(receipt === undefined ? [] : [receiptText(receipt)]),
    ...('result' in record ? [`result: ${JSON.stringify(record.result, null, 2)}`] : []),
  ];
  return `${lines.join('\n')}\n`;
};

/** The tasks of the plan; of many children only those that did not go well, or still go on. */
const taskLines = (tasks: readonly TaskRecord[]): readonly string[] => {
  const told =
    tasks.length <= tasksShownMax
      ? tasks
      : tasks.filter(({ id, status }) => !id.includes('~') || status !== 'completed');
  const shown = told.slice(0, tasksShownMax);
  const more = tasks.length - shown.length;
  return [...shown.map(taskLine), ...(more > 0 ? [`  and ${more} more; --json has all`] : [])];
};

const taskLine = ({ id, status, attempt, wait, fault, skipped_because, children }: TaskRecord): string => {
  const parts = [
    status,
    ...(children === undefined ? [] : [`${children} children`]),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(wait === undefined || wait.reason === 'call' ? [] : [waitText(wait, wait.since)]),
    ...(fault === undefined ? [] : [`${fault.kind}: ${faultText(fault.detail)}`]),
    ...(skipped_because === undefined ? [] : [`because of ${skipped_because}`]),
  ];
  return `  ${statusMark(status)} ${id.padEnd(16)} ${parts.join(', ')}`;
};
