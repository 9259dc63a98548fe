import type { Random } from '@foldmesh/ports';

/** One incarnation of one service. Nothing it awaits settles once it is dead, or as long as it stands still. */
export interface Life {
  readonly name: string;
  isDead(): boolean;
  kill(why?: string): void;
  /** As a process that got SIGSTOP: nothing leaves, nothing comes in, time goes on. */
  stop(): void;
  go(): void;
  /** Takes a port call through what is to happen to this life. */
  through<T>(call: string, given: readonly unknown[], work: () => Promise<T>): Promise<T>;
  /** Lets something in that nobody asked for; it waits while the life stands still. */
  letIn(hear: () => void): void;
}

/** Says at which port calls a life ends. */
export interface Fate {
  /** Whether it ends here: before the call takes effect, or after it and before its reply. */
  strikes(name: string, call: string, when: 'before' | 'after', given: readonly unknown[]): boolean;
}

/** A fate by chance: each port call ends its life at this rate, half of them before and half after, until all is healed. */
export const randomFate = (random: Random, rate: number): Fate & { heal(): void } => {
  let chance = rate / 2;
  return {
    // A sleep is no call that leaves the process: dying in one is dying at the call before it.
    strikes: (_, call) => call !== 'clock.sleep' && chance > 0 && random.float() < chance,
    heal() {
      chance = 0;
    },
  };
};

export interface LifeHooks {
  /** Hears of each port call that has answered, and with what. */
  readonly onCall: (call: string, given: readonly unknown[], answer: unknown) => void;
  readonly onDeath: (why: string) => void;
}

export const lifeOf = (name: string, fate: Fate, { onCall, onDeath }: LifeHooks): Life => {
  let dead = false;
  let stopped: PromiseWithResolvers<void> | undefined;

  const kill = (why = 'killed'): void => {
    if (dead) return;
    dead = true;
    onDeath(why);
  };
  const dies = (call: string, when: 'before' | 'after', given: readonly unknown[]): boolean => {
    if (!dead && fate.strikes(name, call, when, given)) {
      // What took effect is part of the history although nobody heard the answer.
      if (when === 'after') onCall(call, given, 'nobody heard');
      kill(`${when} ${call}`);
    }
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
      const answer = await work();
      await going();
      if (dies(call, 'after', given)) return never();
      onCall(call, given, answer);
      return answer;
    },
    letIn(hear) {
      void going().then(() => {
        if (!dead) hear();
      });
    },
  };
};

const never = <T>(): Promise<T> => Promise.withResolvers<T>().promise;
