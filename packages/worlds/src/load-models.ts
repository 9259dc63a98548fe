import { problemsIn } from '@foldmesh/job';
import { Script, scriptedModel } from '@foldmesh/models';
import type { Model } from '@foldmesh/ports';
import { loadDocuments } from '@foldmesh/system';

/** One port for all models, and what agents call them. */
export interface Models {
  readonly model: Model;
  readonly names: readonly string[];
}

/** The models that agents may name: so far those whose part is written down, as `scripted/<name>`. */
export const loadModels = async (
  folder: string | undefined,
): Promise<Models | { readonly problems: readonly string[] }> => {
  const { defined, problems } = await loadDocuments(folder, (value) => {
    const parsed = Script.safeParse(value);
    if (parsed.success) return { definition: parsed.data, name: parsed.data.name };
    return { problems: problemsIn(Script, parsed.error.issues) };
  });
  if (problems.length > 0) return { problems };
  const scripts = new Map(defined.map(({ name, definition }) => [`scripted/${name}`, definition]));
  return { model: scriptedModel(scripts), names: [...scripts.keys()].sort() };
};
