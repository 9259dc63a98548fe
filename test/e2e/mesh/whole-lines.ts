/** The lines of a file that somebody else is writing: what comes after the last line end is not written yet. */
export const wholeLines = (text: string): readonly string[] => text.split('\n').slice(0, -1);
