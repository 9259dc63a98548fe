/** An answer as JSON that nobody keeps: what it tells of may have changed a moment later. */
export const jsonAnswer = <T>(
  value: T,
  init: { readonly status?: number; readonly headers?: Headers } = {},
): Response =>
  Response.json(value, {
    status: init.status ?? 200,
    headers: { 'cache-control': 'no-store', ...init.headers },
  });

type Headers = Readonly<Record<string, string>>;
