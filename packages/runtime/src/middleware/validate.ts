import type { Result } from '@foldmesh/envelope';
import type { Middleware } from '../call.ts';

/** Refuses a request before anything runs. `check` gives the request as the handler shall see it, or one clear fault. */
export const validate =
  <Q, A>(check: (request: Q) => Result<Q>): Middleware<Q, A> =>
  (next) =>
  async (request, call) => {
    const checked = check(request);
    return checked.ok ? next(checked.value, call) : checked;
  };
