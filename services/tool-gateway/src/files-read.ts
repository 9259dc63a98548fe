import { ok } from '@foldmesh/envelope';
import type { Files } from '@foldmesh/ports';
import { defineTool, type Tool, z } from '@foldmesh/sdk';
import { FilePath } from './file-path.ts';
import { bytesOf, textHead, textLimits } from './text-head.ts';

const Input = z.strictObject({
  path: FilePath,
  bytes_max: z.int().min(1).max(textLimits.bytesMax).optional(),
});

const Output = z.strictObject({
  text: z.string(),
  /** Of the whole file. */
  bytes: z.int().nonnegative(),
  truncated: z.boolean(),
  /** What is missing and how to see it, when something is. */
  notice: z.string().optional(),
});

/** The start of a text file, byte for byte. */
export const filesRead = (root: Files): Tool =>
  defineTool({
    name: 'files.read',
    description:
      'Reads a text file in UTF-8 from its start. `bytes` is how long the whole file is, `truncated` says whether `text` ' +
      `is less: at most \`bytes_max\` bytes come (${textLimits.bytesDefault} unless given, ${textLimits.bytesMax} at most).`,
    effect: 'read',
    input: Input,
    output: Output,
    run: async ({ path, bytes_max = textLimits.bytesDefault }) => {
      // One byte more shows whether the last character ends where the text does.
      const read = await root.read(path, bytes_max + 1);
      if (!read.ok) return read;
      const { bytes, size } = read.value;
      const text = textHead(path, bytes, bytes_max);
      if (!text.ok) return text;
      if (bytes.length <= bytes_max) return ok({ text: text.value, bytes: size, truncated: false });
      const more =
        bytes_max < textLimits.bytesMax
          ? 'give a larger bytes_max for more'
          : 'what follows cannot be read by this tool';
      const notice = `these are the first ${bytesOf(text.value)} of ${size} bytes; ${more}`;
      return ok({ text: text.value, bytes: size, truncated: true, notice });
    },
  });
