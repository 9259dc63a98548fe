import type { Fate } from '@foldmesh/worlds';

/** Where a service dies: around one of its port calls, or when the outside says that something has happened. */
export interface Death {
  /** `inbox.complete`, `journal.append`, `bus.publish` …, `*` for any port call, or what a witness cries out, like `tool-ran`. */
  readonly at: string;
  /** Before the call takes effect, or after it and before its reply; `after` where nothing is said. */
  readonly when?: 'before' | 'after';
  /** Only a call that says this somewhere in what it is given. */
  readonly of?: string;
  /** Only the so-manieth that fits, from 1. */
  readonly nth?: number;
  /** How often this death comes; once where nothing is said. */
  readonly times?: number;
}

/** Deaths still to come, for whichever life of the named service meets them first. */
export interface Fates extends Fate {
  add(service: string, death: Death): void;
  /** What has not come yet does not come any more. */
  forget(): void;
}

export const fates = (): Fates => {
  const all: { readonly service: string; readonly death: Death; left: number; met: number }[] = [];
  return {
    forget: () => void all.splice(0),
    add: (service, death) => void all.push({ service, death, left: death.times ?? 1, met: 0 }),
    strikes(service, call, when, given) {
      const hit = all.find(
        (one) =>
          one.left > 0 &&
          (service === one.service || service.startsWith(`${one.service}-`)) &&
          (one.death.at === call || (one.death.at === '*' && call.includes('.'))) &&
          (one.death.when ?? 'after') === when &&
          (one.death.of === undefined || JSON.stringify(given).includes(one.death.of)) &&
          ++one.met >= (one.death.nth ?? 1),
      );
      if (hit === undefined) return false;
      hit.left -= 1;
      return true;
    },
  };
};
