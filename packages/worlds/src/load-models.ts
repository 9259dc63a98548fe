import type { Problem } from '@foldmesh/job';
import { Script, scriptedModel } from '@foldmesh/models';
import type { Model } from '@foldmesh/ports';
import { loadDocuments } from '@foldmesh/system';

/** The models that agents may name: so far those whose part is written down, as `scripted/<name>`. */
export const loadModels = async (
  scripts: string | undefined,
): Promise<{ readonly model: Model } | { readonly problems: readonly string[] }> => {
  const { defined, problems } = await loadDocuments(scripts, (value) => {
    const parsed = Script.safeParse(value);
    if (parsed.success) return { definition: parsed.data, name: parsed.data.name };
    return {
      problems: parsed.error.issues.map(
        ({ path, message }): Problem => ({ path: path.filter((part) => typeof part !== 'symbol'), message }),
      ),
    };
  });
  if (problems.length > 0) return { problems };
  return {
    model: scriptedModel(new Map(defined.map(({ name, definition }) => [`scripted/${name}`, definition]))),
  };
};
