import type { Axis } from './part-report.ts';

/** Where values lie between the ends of an axis, from 0 to 1, and the round values that are written beside it. */
export interface Scale {
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
}

const stepsMax = 6;

/** A linear axis begins at zero, so that lengths can be compared; on a log axis equal ratios are equally long. */
export const scaleOf = ({ scale }: Axis, values: readonly number[]): Scale =>
  scale === 'log' ? logScale(values.filter((value) => value > 0)) : linearScale(values);

const linearScale = (values: readonly number[]): Scale => {
  const most = Math.max(...values, Number.MIN_VALUE);
  const decade = 10 ** Math.floor(Math.log10(most));
  const step = [0.2, 0.25, 0.5, 1, 2].map((by) => by * decade).find((by) => most / by <= stepsMax) ?? most;
  const count = Math.ceil(most / step);
  return {
    at: (value) => value / (count * step),
    ticks: Array.from({ length: count + 1 }, (_, index) => index * step),
  };
};

const logScale = (values: readonly number[]): Scale => {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const powers: number[] = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power++)
    powers.push(10 ** power);
  const fine = powers.flatMap((power) => [power, 2 * power, 5 * power]);
  const within = (all: readonly number[]): readonly number[] => {
    const from = all.findLast((tick) => tick <= least) ?? least;
    const to = all.find((tick) => tick >= most) ?? most;
    return all.filter((tick) => tick >= from && tick <= to);
  };
  const ticks = within(powers).length > 3 ? within(powers) : within(fine);
  const [from, to] = [Math.log10(ticks[0] ?? least), Math.log10(ticks.at(-1) ?? most)];
  return { at: (value) => (to === from ? 0.5 : (Math.log10(value) - from) / (to - from)), ticks };
};
