/** We are wrong, not the world: inside a message it parks the entity, outside it ends the process. */
export class Defect extends Error {
  override readonly name = 'Defect';
}

/** Something of ours that this build cannot read: a newer one has written it, unless it is broken. */
export class StoredDefect extends Defect {}

/** Throws a {@link Defect}; `message` starts with the number of the broken invariant where there is one (`M3: …`). */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Defect(message);
}
