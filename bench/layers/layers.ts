import type { Extent } from '../extent.ts';
import { type CallCost, callCost } from '../measure/call-cost.ts';
import { takeTurns } from '../measure/take-turns.ts';
import type { Layer } from './layer.ts';
import { messageLayers } from './message-layers.ts';
import { middlewareLayers } from './middleware-layers.ts';
import { measureServices, type ServicesMeasured } from './services.ts';
import { storeLayers } from './store-layers.ts';

export interface LayersMeasured {
  readonly layers: readonly Layer[];
  readonly rounds: ReadonlyMap<string, readonly CallCost[]>;
  /** Bytes of those that weigh something. */
  readonly weights: ReadonlyMap<string, number>;
  readonly services: ServicesMeasured;
}

/** The pieces that a hop is made of, each alone in this process; then the processes themselves. */
export const measureLayers = async (extent: Extent): Promise<LayersMeasured> => ({
  ...(await measureCalls(extent)),
  services: await measureServices(extent),
});

const measureCalls = async (extent: Extent): Promise<Omit<LayersMeasured, 'services'>> => {
  await using stores = await storeLayers();
  const layers = [...messageLayers(), ...middlewareLayers(), ...stores.layers].filter(({ name }) =>
    name.includes(extent.match),
  );
  const measure = ({ times }: Layer): Promise<CallCost> => callCost(times, extent.layers.leastMs);
  const rounds = await takeTurns(layers, extent.rounds, measure, extent.say);
  const weights = new Map<string, number>();
  for (const { name, weight } of layers) if (weight !== undefined) weights.set(name, await weight.bytes());
  return { layers, rounds, weights };
};
