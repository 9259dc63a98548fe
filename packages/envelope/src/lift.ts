import { type Kind, kindOf, type Type } from './catalogue.ts';

/** Brings a payload of an older version up to the newest, one step at a time. A newer one must not get here. */
export const lift = (type: Type, v: number, payload: unknown): unknown => liftWith(kindOf(type), v, payload);

export const liftWith = (kind: Pick<Kind, 'v' | 'lifts'>, v: number, payload: unknown): unknown =>
  (kind.lifts ?? []).slice(v - 1, kind.v - 1).reduce((older, step) => step(older), payload);
