import { registerHooks } from 'node:module';

/** What TypeScript says of an API whose document this is. */
export const typesOf = async (document: string): Promise<string> => {
  // The generator asks for the compiler's API by a name under which the workspace has a version without one.
  using _ = hooked((specifier, parent) =>
    specifier === 'typescript' && parent.includes('/openapi-typescript/')
      ? import.meta.resolve('typescript-5')
      : undefined,
  );
  const { astToString, default: openapiTS } = await import('openapi-typescript');
  return astToString(await openapiTS(document));
};

const hooked = (instead: (specifier: string, parent: string) => string | undefined): Disposable => {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      next(instead(specifier, context.parentURL ?? '') ?? specifier, context),
  });
  return { [Symbol.dispose]: () => hooks.deregister() };
};
