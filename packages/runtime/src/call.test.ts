import { ok } from '@foldmesh/envelope';
import { expect, it } from 'vitest';
import { chain, type Middleware } from './call.ts';
import { callOf } from './testing/fake-host.ts';

it('wraps the handler in the order in which it is told: the first is outermost', async () => {
  const order: string[] = [];
  const named =
    (name: string): Middleware<string, string> =>
    (next) =>
    async (request, call) => {
      order.push(`into ${name}`);
      const result = await next(`${request} ${name}`, call);
      order.push(`out of ${name}`);
      return result;
    };
  const handler = chain<string, string>([named('first'), named('second')], async (request) => {
    order.push('handler');
    return ok(request);
  });
  expect(await handler('through', callOf())).toEqual(ok('through first second'));
  expect(order).toEqual(['into first', 'into second', 'handler', 'out of second', 'out of first']);
});
