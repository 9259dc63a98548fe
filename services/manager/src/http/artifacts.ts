import { type Artifact, type ArtifactPage, type ArtifactsQuery, apiLimits } from '@foldmesh/client';
import { Digest } from '@foldmesh/envelope';
import { type JobState, taskIdOf, taskWithId } from '@foldmesh/job';
import type { z } from 'zod';
import type { ApiCall } from './api-call.ts';
import { knownJob } from './job-state.ts';
import { jsonAnswer } from './json-answer.ts';
import { faultProblem, invalidQuery, notFound } from './problem.ts';

/** What the tasks of a job have made and its record only refers to, by task. */
export const listArtifacts = async (call: ApiCall<z.output<typeof ArtifactsQuery>>): Promise<Response> => {
  const known = await knownJob(call);
  if (known instanceof Response) return known;
  const { state } = known.loaded;
  const { after, limit = apiLimits.pageDefault } = call.query;
  const last = after === undefined ? -1 : taskWithId(state, after);
  if (last === undefined)
    return invalidQuery(call, [{ path: ['after'], message: 'the job has no such task' }]);
  const found = artifactsOf(state, last + 1, limit + 1);
  const artifacts = found.slice(0, limit);
  const next = found.length > limit ? artifacts.at(-1)?.task : undefined;
  return jsonAnswer<ArtifactPage>({ artifacts, ...(next !== undefined && { next }) });
};

const artifactsOf = (state: JobState, from: number, limit: number): readonly Artifact[] => {
  const found: Artifact[] = [];
  for (let ordinal = from; ordinal < state.tasks.length && found.length < limit; ordinal++) {
    const output = state.tasks[ordinal]?.output;
    if (output === undefined || !('ref' in output)) continue;
    const task = taskIdOf(state, ordinal);
    const href = `/v1/jobs/${state.job}/artifacts/${output.ref.digest}`;
    found.push({ ...output.ref, name: `tasks.${task}.output`, task, href });
  }
  return found;
};

/** What lies under a digest can never change. */
const forEver = 'private, max-age=31536000, immutable';

/** The content of one artifact. What else of the job lies in the blob store is nobody's business. */
export const getArtifact = async (call: ApiCall): Promise<Response> => {
  const known = await knownJob(call);
  if (known instanceof Response) return known;
  const digest = Digest.safeParse(call.param('digest')).data;
  const isThere = known.loaded.state.tasks.some(
    ({ output }) => output !== undefined && 'ref' in output && output.ref.digest === digest,
  );
  if (digest === undefined || !isThere) return notFound(call, 'artifact');
  const headers = { etag: `"${digest}"`, 'cache-control': forEver };
  if (isKnown(call.request.headers.get('if-none-match'), digest))
    return new Response(null, { status: 304, headers });
  const { tenant, job } = known.entity;
  const bytes = await call.ports.blobs.get(tenant, job, digest);
  if (!bytes.ok) return faultProblem(call, bytes.fault, job);
  return new Response(Uint8Array.from(bytes.value), {
    headers: { ...headers, 'content-type': 'application/json', 'content-length': String(bytes.value.length) },
  });
};

const isKnown = (header: string | null, digest: Digest): boolean =>
  header?.split(',').some((tag) => ['*', `"${digest}"`].includes(tag.trim().replace(/^W\//, ''))) ?? false;
