/** We are wrong, not the world: inside a message it parks the entity, outside it ends the process. */
export class Defect extends Error {
  override readonly name = 'Defect';
}

/** Throws a {@link Defect}; `message` starts with the number of the broken invariant where there is one (`M3: …`). */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Defect(message);
}
