import type { FoldmeshClient } from '@foldmesh/client';
import { isJsonObject, type Json } from '@foldmesh/envelope';
import type { InputRequest, JobRecord } from '@foldmesh/job';
import { CommandError, type ExitCode, exitCodes, type Shell } from '../command.ts';
import { jsonOrText } from '../parse-option.ts';
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
    const asked = await openRequest(client, job, request);
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
): Promise<Asked> => {
  const record = await client.get(job);
  if (request !== undefined) return record.requests.find((one) => one.request === request) ?? { request };
  const [only, other] = record.requests;
  if (only !== undefined && other === undefined) return only;
  throw only === undefined ? nothingAsked(record) : severalAsked(record);
};

const nothingAsked = ({ id, status }: JobRecord): CommandError =>
  new CommandError(`job ${id} is ${status} and asks nobody anything`, exitCodes.notFound);

const severalAsked = ({ id, requests }: JobRecord): CommandError =>
  new CommandError(
    `job ${id} asks several things, say which: ${requests.map(({ request, question }) => `${request} (${question})`).join(', ')}`,
  );

/** Text where a text is wanted, however it reads; anything else as JSON where it is some. */
const readAnswer = (value: string, schema: Json | undefined): Json => {
  const wanted = isJsonObject(schema) ? schema['type'] : undefined;
  return wanted === 'string' ? value : jsonOrText(value);
};

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
