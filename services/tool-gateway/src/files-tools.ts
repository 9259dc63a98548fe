import type { JobId, TenantId } from '@foldmesh/envelope';
import type { Files } from '@foldmesh/ports';
import type { Tool } from '@foldmesh/sdk';
import { filesList } from './files-list.ts';
import { filesRead } from './files-read.ts';
import { filesSearch } from './files-search.ts';
import { filesWrite } from './files-write.ts';

export interface FilesSettings {
  /** What may be read. */
  readonly root: Files;
  /** Where a job writes: a folder that no other job has. */
  readonly output: (tenant: TenantId, job: JobId) => Files;
}

/** `files.list`, `files.read` and `files.search` below one root, and `files.write` below another of the job's own. */
export const filesTools = ({ root, output }: FilesSettings): readonly Tool[] => [
  filesList(root),
  filesRead(root),
  filesSearch(root),
  filesWrite(output),
];
