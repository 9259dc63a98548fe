import type { CatalogueListing } from '@foldmesh/client';
import { RunKind } from '@foldmesh/envelope';
import type { ApiCall } from './api-call.ts';
import { jsonAnswer } from './json-answer.ts';
import { faultProblem } from './problem.ts';

/** What the pools offer now, each name once: of several pools with one name, the one that a job would be given to. */
export const getCatalogue = async (call: ApiCall): Promise<Response> => {
  const { catalogue } = call;
  const known = await catalogue.refresh();
  if (!known.ok) return faultProblem(call, known.fault);
  const offers = RunKind.options.flatMap((kind) =>
    catalogue.names(kind).flatMap((name) => catalogue.find(kind, name) ?? []),
  );
  const pools = [...new Set(offers.map(({ pool }) => pool))].toSorted();
  return jsonAnswer<CatalogueListing>({
    offers,
    pools: pools.map((pool) => ({ pool, slots: catalogue.slots(pool) })),
  });
};
