/** Whether a caller takes an answer of this type: by its `Accept`, where a quality of 0 means that it does not. */
export const accepts = (header: string | null, type: string): boolean => {
  if (header === null || header.trim() === '') return true;
  const [main] = type.split('/');
  const ranges = header.split(',').map(rangeOf);
  // The most exact range that fits decides, wherever it stands.
  for (const wanted of [type, `${main}/*`, '*/*']) {
    const range = ranges.find((one) => one.type === wanted);
    if (range !== undefined) return range.quality > 0;
  }
  return false;
};

const rangeOf = (text: string): { readonly type: string; readonly quality: number } => {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((one) => /^q\s*=/.test(one))?.replace(/^q\s*=\s*/, '');
  return { type, quality: quality === undefined ? 1 : Number(quality) };
};
