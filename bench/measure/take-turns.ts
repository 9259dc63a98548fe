/** One thing that is measured, by the name that the report gives it. */
export interface Contender {
  readonly name: string;
}

/**
 * Each round has every contender once, in the same order (A B A B …), so that a machine that becomes busy or hot does so
 * for all of them. The first round warms up and is forgotten.
 */
export const takeTurns = async <C extends Contender, M>(
  contenders: readonly C[],
  rounds: number,
  measure: (contender: C, round: number) => Promise<M>,
  say: (line: string) => void,
): Promise<ReadonlyMap<string, readonly M[]>> => {
  const measured = new Map<string, M[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++)
    for (const contender of contenders) {
      const one = await measure(contender, round);
      say(`  ${round === 0 ? 'warm-up' : `round ${round}`}  ${contender.name}  ${JSON.stringify(one)}`);
      if (round > 0) measured.get(contender.name)?.push(one);
    }
  return measured;
};
