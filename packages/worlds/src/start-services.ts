import { fail, ok, type Result } from '@foldmesh/envelope';
import type { Running, Service } from '@foldmesh/runtime';

/** Services that have been started together. */
export interface Mesh {
  /** Resolves with what went wrong if a service ends by a defect. */
  readonly failed: Promise<unknown>;
  stop(graceMs: number): Promise<void>;
}

/** Starts them one after the other; what had started is stopped again when one cannot. */
export const startAll = async (services: readonly Service[]): Promise<Result<Mesh>> => {
  const running: Running[] = [];
  const stop = async (graceMs: number): Promise<void> => {
    const broken: unknown[] = [];
    // The last started goes first: nothing new is decided while work in hand ends. One that breaks keeps no other from stopping.
    for (const service of running.toReversed())
      await service.stop(graceMs).catch((error: unknown) => void broken.push(error));
    if (broken.length > 0) throw broken[0];
  };
  for (const service of services) {
    const started = await service.start();
    if (!started.ok) {
      await stop(0);
      return fail({ ...started.fault, detail: `${service.name}: ${started.fault.detail}` });
    }
    running.push(started.value);
  }
  return ok({ failed: Promise.race(running.map(({ failed }) => failed)), stop });
};
