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

/** One incarnation of one service. Nothing it awaits settles once it is dead, or as long as it is stopped. */
export interface Life {
  readonly name: string;
  isDead(): boolean;
  kill(): void;
  /** As a process that got SIGSTOP: nothing leaves, nothing comes in, time goes on. */
  stop(): void;
  go(): void;
  /** Takes a port call through what is to happen to this life. */
  through<T>(call: string, given: readonly unknown[], work: () => Promise<T>): Promise<T>;
  /** Lets something in that nobody asked for; it waits while the life is stopped. */
  letIn(hear: () => void): void;
}

/** Deaths still to come, for whichever life of the named service meets them first. */
export interface Fates {
  add(service: string, death: Death): void;
  /** What has not come yet does not come any more. */
  forget(): void;
  /** Whether this call is where the service dies now. */
  strikes(service: string, call: string, when: 'before' | 'after', given: readonly unknown[]): boolean;
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

export interface LifeHooks {
  readonly onCall: (call: string) => void;
  readonly onDeath: () => void;
}

export const lifeOf = (name: string, fate: Fates, { onCall, onDeath }: LifeHooks): Life => {
  let dead = false;
  let stopped: PromiseWithResolvers<void> | undefined;

  const kill = (): void => {
    if (dead) return;
    dead = true;
    onDeath();
  };
  const dies = (call: string, when: 'before' | 'after', given: readonly unknown[]): boolean => {
    if (!dead && fate.strikes(name, call, when, given)) kill();
    return dead;
  };

  const going = async (): Promise<void> => {
    for (let wait = stopped; wait !== undefined; wait = stopped) await wait.promise;
  };

  return {
    name,
    isDead: () => dead,
    kill,
    stop() {
      stopped ??= Promise.withResolvers<void>();
    },
    go() {
      stopped?.resolve();
      stopped = undefined;
    },
    async through(call, given, work) {
      await going();
      if (dies(call, 'before', given)) return never();
      onCall(call);
      const result = await work();
      await going();
      return dies(call, 'after', given) ? never() : result;
    },
    letIn(hear) {
      if (stopped === undefined) {
        if (!dead) hear();
        return;
      }
      void stopped.promise.then(() => {
        if (!dead) hear();
      });
    },
  };
};

const never = <T>(): Promise<T> => new Promise<T>(() => {});
