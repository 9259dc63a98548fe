import { adrs } from './adrs.ts';
import { comments } from './comments.ts';
import { declaredNames } from './declared-names.ts';
import { doors } from './doors.ts';
import { fileLength } from './file-length.ts';
import { fileNames } from './file-names.ts';
import { imports } from './imports.ts';
import { layers } from './layers.ts';
import { links } from './links.ts';
import { modes } from './modes.ts';
import { moduleState } from './module-state.ts';
import { plainFiles } from './plain-files.ts';
import { reasons } from './reasons.ts';
import type { Rule } from './rule.ts';
import { tested } from './tested.ts';

/** What neither the type checker nor Biome can say, in the order it is reported. */
export const rules: readonly Rule[] = [
  layers,
  imports,
  doors,
  fileNames,
  declaredNames,
  fileLength,
  moduleState,
  modes,
  reasons,
  comments,
  tested,
  adrs,
  links,
  plainFiles,
];
