import { ok } from '@foldmesh/envelope';
import type { SimulationPorts } from '@foldmesh/worlds';

const lateMs = 10_000;

/** No bug but bad luck: what an agent is to do gets through late, so that a cancel overtakes it. */
export const lateAssignments = (ports: SimulationPorts): SimulationPorts => ({
  ...ports,
  bus: {
    ...ports.bus,
    publish: async (message) => {
      if (message.headers.type !== 'task.assign' || !message.subject.includes('.decide.'))
        return ports.bus.publish(message);
      // As a broker that has stored it and shows it later; nobody waits for that.
      void ports.clock.sleep(lateMs).then(() => ports.bus.publish(message));
      return ok({ duplicate: false });
    },
  },
});
