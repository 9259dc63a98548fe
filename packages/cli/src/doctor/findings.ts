import type { JsonObject } from '@foldmesh/envelope';

/** One thing that was looked at, and how it is. */
export interface Finding {
  /** `nats`, `redis`, `api`, `pool worker/default` … */
  readonly what: string;
  /** Where it is, without passwords. */
  readonly where: string;
  readonly reached: boolean;
  /** What was found there. */
  readonly facts: JsonObject;
  /** What is wrong, one sentence each. */
  readonly problems: readonly string[];
}

/**
 * What somebody named, or a mesh that is there needs, must be there. What is only a default need not: whoever runs jobs in
 * one process has no server, and what else may run at its address is none of ours.
 */
export const unlessNeeded = (finding: Finding, isNeeded: boolean): Finding =>
  isNeeded ? finding : { ...finding, problems: [] };

export const away = (what: string, where: string, problem: string): Finding => ({
  what,
  where,
  reached: false,
  facts: {},
  problems: [problem],
});
