import { type Json, ok, type Result } from '@foldmesh/envelope';
import { jobFold } from '@foldmesh/job';
import type { Entity } from '@foldmesh/ports';
import type { Api } from './api-call.ts';
import { eachEvent } from './journal-entries.ts';

/** A question of a job, and what it was answered with, if it was. */
export interface PastAsk {
  readonly answer?: { readonly value: Json } | undefined;
}

/** What the journal says of a question that the job's state has forgotten, because the task that asked has ended. */
export const pastAsk = async (
  api: Pick<Api, 'ports'>,
  entity: Entity,
  request: string,
): Promise<Result<PastAsk | undefined>> => {
  let found: PastAsk | undefined;
  const told = await eachEvent(api, jobFold, entity, (event) => {
    if (event.kind === 'input-asked' && event.request === request) found = {};
    if (event.kind === 'input-answered' && event.request === request)
      found = { answer: { value: event.value } };
  });
  return told.ok ? ok(found) : told;
};
