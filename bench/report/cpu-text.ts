import { spreadOf } from '../measure/spread.ts';
import { figure } from './part-report.ts';

/** Processor time in milliseconds: the median of each process, in the order in which they were started. */
export const cpuText = (rounds: readonly { readonly cpuUs: Readonly<Record<string, number>> }[]): string =>
  Object.keys(rounds[0]?.cpuUs ?? {})
    .map((process) => {
      const us = spreadOf(rounds.map(({ cpuUs }) => cpuUs[process] ?? Number.NaN)).median;
      return `${process} ${figure(us / 1_000)}`;
    })
    .join(', ');
