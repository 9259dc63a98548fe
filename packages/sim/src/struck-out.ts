import { decodeJson } from '@foldmesh/envelope';
import type { DeadLetter } from '@foldmesh/ports';
import { z } from '@foldmesh/sdk';
import type { Evidence, Verdict } from './evidence.ts';

/** M6: whatever struck out, and whatever nobody could read in time, is one readable dead letter with a job and a reason. */
export const struckOut = ({ observer, foreign, holdsMayLapse }: Evidence): Verdict => {
  const wrong: string[] = [];
  const { letters } = observer;
  for (const { id, job, reason } of letters) {
    if (reason === '' || job === 'unknown') wrong.push(`the dead letter ${id} has no job or no reason`);
    if (/\b(threw|broke)\b/.test(reason))
      wrong.push(`${job}: a message was set aside by a defect: ${reason}`);
  }
  if (!holdsMayLapse)
    for (const { type, key } of observer.strikes)
      wrong.push(`${type} ${key} has a strike, and whoever had it has lost nothing`);
  for (const { type, key } of observer.struck) {
    const found = letters.filter(
      (letter) =>
        letter.headers['Mesh-Type'] === type && (letter.key === key || tasksIn(letter).includes(key)),
    );
    if (!found.some(({ strikes, reason }) => strikes > 0 && reason.includes('struck out')))
      wrong.push(`${type} ${key} has struck out, and no dead letter says so`);
  }
  for (const { message } of foreign) {
    const found = letters.filter(({ id }) => id === message.headers.id);
    const [letter] = found;
    if (found.length !== 1)
      wrong.push(`an unreadable ${message.headers.type} is ${found.length} dead letters`);
    else if (Buffer.compare(letter?.body ?? new Uint8Array(), message.body) !== 0)
      wrong.push(`the dead letter of an unreadable ${message.headers.type} has other bytes`);
  }
  return { looked: letters.length + observer.struck.length + foreign.length, wrong };
};

const Assignment = z.object({ payload: z.object({ tasks: z.array(z.object({ key: z.string() })) }) });

/** What an assignment of several tasks carries: each of them is claimed, and strikes out, under a key of its own. */
const tasksIn = ({ body }: DeadLetter): readonly string[] => {
  const decoded = decodeJson(body);
  const read = decoded.ok ? Assignment.safeParse(decoded.value).data : undefined;
  return read?.payload.tasks.map(({ key }) => key) ?? [];
};
