/** One event as a client gets it. */
export interface Frame {
  readonly id?: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into what it is about to check.
  readonly data: any;
}

export interface Heard {
  readonly frames: readonly Frame[];
  readonly comments: number;
  readonly retry: number | undefined;
  /** The stream ended by itself. */
  readonly closed: boolean;
}

/** Reads an event stream to its end, or until `enough` says so; then the client leaves. */
export const hear = async (
  response: Response,
  enough: (heard: Heard) => boolean = () => false,
): Promise<Heard> => {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  const frames: Frame[] = [];
  let comments = 0;
  let retry: number | undefined;
  let text = '';
  for (;;) {
    if (enough({ frames, comments, retry, closed: false })) {
      await reader?.cancel();
      return { frames, comments, retry, closed: false };
    }
    const read = await reader?.read();
    if (read === undefined || read.done) return { frames, comments, retry, closed: true };
    text += decoder.decode(read.value, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const fields = new Map(
        block.split('\n').map((line) => {
          const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
          return [name, value] as const;
        }),
      );
      if (fields.has('')) comments += 1;
      if (fields.has('retry')) retry = Number(fields.get('retry'));
      const data = fields.get('data');
      const id = fields.get('id');
      if (data !== undefined)
        frames.push({
          event: fields.get('event') ?? '',
          data: JSON.parse(data),
          ...(id !== undefined && { id }),
        });
    }
  }
};
