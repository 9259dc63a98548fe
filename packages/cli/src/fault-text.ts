/** What went wrong in one line: of a stack that is in it, the place where it was thrown, as `skills/audit.ts:12`. */
export const faultText = (detail: string): string => {
  const [first = ''] = detail.split('\n');
  const place = placeIn(detail);
  return place === undefined ? first : `${first} (${place})`;
};

/** The whole of it, but a stack as its one place. */
export const wholeFaultText = (detail: string): string =>
  placeIn(detail) === undefined ? detail : faultText(detail);

/** Of the frames of a stack the first that is neither the platform's nor a library's, else the first. */
const placeIn = (detail: string): string | undefined => {
  const frames = [
    ...detail.matchAll(/^ +at (?:.* \()?(?:file:\/\/)?([^\s()]+?)(?:\?[^\s:]*)?:(\d+):\d+\)?$/gm),
  ]
    .map(([, file = '', line = '']) => ({ file, line }))
    .filter(({ file }) => !file.startsWith('node:'));
  const place = frames.find(({ file }) => !file.includes('/node_modules/')) ?? frames[0];
  return place === undefined ? undefined : `${place.file}:${place.line}`;
};
