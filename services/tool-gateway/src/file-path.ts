import { z } from '@foldmesh/sdk';

/** A path below the root of the files, with `/` between its parts. Whether it stays inside is for the port to see. */
export const FilePath = z.string().min(1).max(4096);
