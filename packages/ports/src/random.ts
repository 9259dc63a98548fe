/** The one source of chance: seeded in a simulation. */
export interface Random {
  /** In `[0, 1)`. */
  float(): number;
  /** `bytes` random bytes as lower-case hex. */
  hex(bytes: number): string;
}
