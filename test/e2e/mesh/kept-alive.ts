import type { MeshProcess } from './real-mesh.ts';

/** Starts a process again whenever it ends, as a cluster would, until this is disposed. */
export interface KeptAlive extends AsyncDisposable {
  /** How often it has been started again. */
  readonly restarts: () => number;
}

export const keptAlive = (kept: MeshProcess): KeptAlive => {
  let isOver = false;
  let restarts = 0;
  const over = Promise.withResolvers<'over'>();
  const keep = async (): Promise<void> => {
    for (;;) {
      const how = await Promise.race([kept.child().ended, over.promise]);
      if (isOver || how === 'over') return;
      restarts += 1;
      await kept.start();
    }
  };
  const keeping = keep();
  return {
    restarts: () => restarts,
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      over.resolve('over');
      await keeping;
    },
  };
};
