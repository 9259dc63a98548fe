/** All of them, as the design numbers them. */
export const invariantNames = ['M1', 'M2', 'M3', 'M4', 'M5', 'M6', 'M7', 'M8', 'M9', 'M10'] as const;
export type InvariantName = (typeof invariantNames)[number];

/** How many things each was held against. */
export type Looked = Record<InvariantName, number>;

export const lookedAtNothing = (): Looked => ({
  M1: 0,
  M2: 0,
  M3: 0,
  M4: 0,
  M5: 0,
  M6: 0,
  M7: 0,
  M8: 0,
  M9: 0,
  M10: 0,
});
