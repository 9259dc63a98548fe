import type { TaskRecord } from '@foldmesh/job';
import type { RunEvent } from '@foldmesh/run';
import type { Evidence, Verdict } from './evidence.ts';
import type { Intended } from './random-job.ts';

/** M2: each intended effect happens once, or the job says openly that its outcome is unknown. */
export const effectsOnce = (evidence: Evidence): Verdict => {
  const { witness, facts } = evidence;
  const happened = new Map<string, number>();
  for (const { id } of witness.rows) happened.set(id, (happened.get(id) ?? 0) + 1);
  for (const { text } of facts) happened.set(text, (happened.get(text) ?? 0) + 1);
  const wrong: string[] = [];
  for (const [id, count] of happened) if (count > 1) wrong.push(`${id} has happened ${count} times`);
  const said = evidence.jobs.flatMap(({ planned, told }) => [
    ...planned.intended.map((intended) => saidByTask(intended, told.record.tasks)),
    ...[...told.runs.values()].flatMap(({ events }) => saidByRun(events)),
  ]);
  for (const { id, says, why } of said) {
    const count = happened.get(id) ?? 0;
    if (says === 'done' && count === 0) wrong.push(`${id} has not happened, and ${why}`);
    if (says === 'not done' && count > 0) wrong.push(`${id} has happened, and ${why}`);
  }
  if (!evidence.holdsMayLapse)
    for (const { told } of evidence.jobs)
      for (const { id, open } of told.record.tasks)
        if (open?.detail.includes('fell silent') === true)
          wrong.push(`${told.name}: ${id} is unknown (${open.detail}), and nobody has fallen silent`);
  return { looked: said.length, wrong };
};

/** What the mesh says of one effect; `nothing` where it does not claim to know. */
interface Said {
  readonly id: string;
  readonly says: 'done' | 'not done' | 'nothing';
  readonly why: string;
}

const saidByTask = ({ id, task, effect }: Intended, tasks: readonly TaskRecord[]): Said => {
  const record = tasks.find((one) => one.id === task);
  const why = `task ${task} is ${record?.status ?? 'not there'}${record?.fault === undefined ? '' : ` (${record.fault.kind}: ${record.fault.detail})`}`;
  switch (record?.status) {
    case 'completed':
      return { id, says: 'done', why };
    case 'skipped':
    case undefined:
      return { id, says: 'not done', why };
    case 'failed':
      // A task of one call whose last try had no answer says so; of one that failed for another reason nothing was done.
      return {
        id,
        says:
          id === task && effect === 'unsafe' && record.fault?.kind !== 'unanswered' ? 'not done' : 'nothing',
        why,
      };
    default:
      return { id, says: 'nothing', why };
  }
};

/** What an agent was told of its calls. */
const saidByRun = (events: readonly RunEvent[]): readonly Said[] => {
  const said: Said[] = [];
  let asked: readonly { readonly name: string; readonly input: unknown }[] = [];
  for (const event of events) {
    if (event.kind === 'model-replied') asked = event.calls;
    if (event.kind !== 'call-returned') continue;
    const call = asked[event.call];
    const id = idOf(call?.input);
    if (call === undefined || id === undefined) continue;
    const why = `its run was told ${event.answer.kind}`;
    said.push({ id, says: event.answer.kind === 'output' ? 'done' : 'nothing', why });
  }
  return said;
};

const idOf = (input: unknown): string | undefined => {
  const { id, text } = input as { readonly id?: unknown; readonly text?: unknown }; // every input of a call is an object, or has neither
  const named = id ?? text;
  return typeof named === 'string' ? named : undefined;
};
