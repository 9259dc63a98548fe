/** A chart with its upper left corner at 0, 0. Lengths are pixels. */
export interface Drawn {
  readonly height: number;
  readonly parts: readonly string[];
}

/** Of every chart. */
export const sheetWidth = 860;

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
