/** What has been heard of a job, over one connection or several. */
export interface HeardEvents {
  readonly ids: string[];
  readonly names: string[];
}

/**
 * Takes events down, until there are so many, and says whether the stream has ended before; what has come beyond that is
 * lost on the way. Nothing is kept but ids and names, however long a stream is.
 */
export const hearEvents = async (
  { body }: Response,
  heard: HeardEvents,
  count?: number,
): Promise<boolean> => {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const [, id] = /^id: (.+)$/m.exec(frame) ?? [];
      const [, name] = /^event: (.+)$/m.exec(frame) ?? [];
      if (id === undefined || name === undefined) continue;
      heard.ids.push(id);
      heard.names.push(name);
      if (heard.ids.length === count) return false;
    }
  }
  return true;
};
