import { joinBytes, limits } from '@foldmesh/envelope';
import type { Room } from './latest.ts';

/** What bodies that are on their way may weigh together: who sends slowly must not fill the memory of all. Bytes. */
const roomBytes = 128 * 1024 * 1024;

/** Where the bodies of one process find room while they come in. */
export const bodyRoom = (): Room => ({ bytesMax: roomBytes, bytes: 0 });

/** A body as it came, or why there is none: it is too large, there is no room for it now, or its sender has gone. */
export type Came = Uint8Array | 'too-large' | 'no-room' | 'broken-off';

/** Stops reading as soon as it is too much: the header may lie, or be missing. */
export const bytesOf = async ({ body, headers }: Request, room: Room): Promise<Came> => {
  if (Number(headers.get('content-length') ?? 0) > limits.bodyBytesMax) return 'too-large';
  const chunks: Uint8Array[] = [];
  let total = 0;
  try {
    for await (const chunk of body ?? []) {
      if (total + chunk.length > limits.bodyBytesMax) return 'too-large';
      if (room.bytes + chunk.length > room.bytesMax) return 'no-room';
      total += chunk.length;
      room.bytes += chunk.length;
      chunks.push(chunk);
    }
  } catch {
    return 'broken-off';
  } finally {
    room.bytes -= total;
  }
  return joinBytes(chunks);
};
