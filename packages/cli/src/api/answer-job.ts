import type { FoldmeshClient } from '@foldmesh/client';
import type { Json } from '@foldmesh/envelope';
import type { InputRequest, JobRecord } from '@foldmesh/job';
import { CommandError, type ExitCode, exitCodes, type Shell } from '../command.ts';
import { readAnswer } from '../read-answer.ts';
import { type ApiOptions, withApi } from './api-connection.ts';
import { printJson } from './print.ts';

/**
 * Answers what a job asks people. Without a request it is the one that is open; without a value a person on the terminal
 * is asked, by the question's own schema.
 */
export const answerJob = (
  shell: Shell,
  job: string,
  request: string | undefined,
  value: string | undefined,
  options: ApiOptions,
): Promise<ExitCode> =>
  withApi(shell, options, job, async (client) => {
    const asked = await openRequest(client, job, request, value !== undefined);
    const answer = value === undefined ? await askPerson(shell, job, asked) : readAnswer(value, asked.schema);
    const receipt = await client.answer(job, asked.request, answer);
    if (options.json === true) printJson(shell, receipt);
    else shell.out(`answered ${asked.request}\n`);
    return exitCodes.done;
  });

/** A request; of one that is no longer open nothing else is known. */
type Asked = Pick<InputRequest, 'request'> & Partial<InputRequest>;

/** A request that is no longer open is for the mesh to say no to: it may have been answered, or have ended. */
const openRequest = async (
  client: FoldmeshClient,
  job: string,
  request: string | undefined,
  hasValue: boolean,
): Promise<Asked> => {
  const record = await client.get(job);
  const named = record.requests.find((one) => one.request === request);
  if (named !== undefined) return named;
  if (request !== undefined && hasValue) return { request };
  const [only, other] = record.requests;
  if (only === undefined) throw nothingAsked(record);
  // What stands there may be meant as the value: which of the two it is must not hang on what happens to be open.
  if (request !== undefined) throw notAsked(record, request);
  if (other === undefined) return only;
  throw severalAsked(record);
};

const nothingAsked = ({ id, status }: JobRecord): CommandError =>
  new CommandError(`job ${id} is ${status} and asks nobody anything`, exitCodes.notFound);

const notAsked = (record: JobRecord, request: string): CommandError =>
  new CommandError(
    `job ${record.id} has no open question ${request}, it asks ${askedBy(record)}; a value stands behind its question: foldmesh answer ${record.id} ${record.requests.length === 1 ? record.requests[0]?.request : '<request>'} ${request}`,
  );

const severalAsked = (record: JobRecord): CommandError =>
  new CommandError(`job ${record.id} asks several things, say which: ${askedBy(record)}`);

const askedBy = ({ requests }: JobRecord): string =>
  requests.map(({ request, question }) => `${request} (${question})`).join(', ');

const askPerson = async (
  shell: Shell,
  job: string,
  { request, question = request, schema }: Asked,
): Promise<Json> => {
  if (!shell.canAsk)
    throw new CommandError(`there is no terminal to ask on: foldmesh answer ${job} ${request} <value>`);
  const { askBySchema } = await import('./ask-by-schema.ts');
  const answer = await askBySchema(question, schema);
  if (answer === undefined) throw new CommandError('nothing was answered', exitCodes.interrupted);
  return answer.value;
};
