import { fail, fault } from '@foldmesh/envelope';
import type { SimulationPorts } from '@foldmesh/worlds';

/** Longer than a stopping job waits for last words. */
const lateMs = 8_000;

/**
 * No bug but bad luck: what tells others that a job stops gets through only when the job has ended, as when its manager
 * dies between the entry and the publish and is away for a while.
 */
export const lateWords = (ports: SimulationPorts): SimulationPorts => {
  const since = new Map<string, number>();
  return {
    ...ports,
    bus: {
      ...ports.bus,
      publish: async (message) => {
        const { key, type } = message.headers;
        if (type !== 'run.cancel' && type !== 'job.halt') return ports.bus.publish(message);
        const now = ports.clock.now();
        const first = since.get(key) ?? now;
        since.set(key, first);
        return now < first + lateMs
          ? fail(fault('unavailable', 'it gets through later', { retry_after_ms: 100 }))
          : ports.bus.publish(message);
      },
    },
  };
};
