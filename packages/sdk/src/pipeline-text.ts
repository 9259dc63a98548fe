import { fail, fault, type Json, type JsonObject, ok, type Result } from '@foldmesh/envelope';
import { cutTemplate, readPath } from '@foldmesh/job';

/** Where in the context a placeholder looks. */
interface Place {
  readonly path: readonly string[];
}

const place = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_-]+)*$/;

/** `${doc.title}`, with the same escape as everywhere: `$${` is a literal `${`. */
const parse = (template: string) =>
  cutTemplate<Place>(template, (inside) =>
    place.test(inside) ? { path: inside.split('.') } : `\${${inside}} is no key of the context`,
  );

/** The top-level keys that a template needs, each once; or what is wrong with it. */
export const templateKeys = (
  template: string,
): { readonly keys: readonly string[] } | { readonly wrong: string } => {
  const parsed = parse(template);
  if ('wrong' in parsed) return parsed;
  return {
    keys: [
      ...new Set(parsed.pieces.flatMap((piece) => (typeof piece === 'string' ? [] : piece.path.slice(0, 1)))),
    ],
  };
};

/** Replaces each `${path}` from `values`; what is no text becomes JSON. All that is missing is named, with the keys that are there. */
export const renderPipelineText = (template: string, values: JsonObject): Result<string> => {
  const parsed = parse(template);
  if ('wrong' in parsed) return fail(fault('invalid', parsed.wrong));
  const missing: string[] = [];
  const text = parsed.pieces.map((piece) => {
    if (typeof piece === 'string') return piece;
    const found = readPath(values, piece.path);
    if ('missing' in found) missing.push(found.missing);
    return 'value' in found ? asText(found.value) : '';
  });
  return missing.length > 0 ? fail(fault('invalid', missing.join('; '))) : ok(text.join(''));
};

const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
