import { StoredDefect, type TenantId } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import { blobValues, steadyPorts } from '@foldmesh/runtime';
import { type Context, Hono } from 'hono';
import type { CatalogueView } from '../catalogue-view.ts';
import type { ApiAccess } from '../keys/api-access.ts';
import { accepts } from './acceptable.ts';
import type { Api, ApiCall } from './api-call.ts';
import { bodyRoom } from './body-bytes.ts';
import { anybody, type Caller, callerOf } from './caller-of.ts';
import { eventHub } from './event-hub.ts';
import { livez, readyz } from './health.ts';
import { jsonAnswer } from './json-answer.ts';
import { listedJobs } from './listed-jobs.ts';
import { openApi } from './open-api.ts';
import type { Operation } from './operation.ts';
import { operations } from './operations.ts';
import { invalidQuery, notFound, problem } from './problem.ts';
import { readQuery } from './read-query.ts';
import { sharedLook } from './shared-look.ts';
import { strangerOf } from './stranger-of.ts';
import { traceOf } from './trace-of.ts';

export interface AppSettings extends ApiAccess {
  readonly ports: Ports;
  readonly catalogue: CatalogueView;
  /** What a job record says of how long an accepted job lives. */
  readonly durability: string;
  /** Aborts when this process is about to end. */
  readonly draining?: AbortSignal;
}

/** The API as a function: no socket, and no state but what its event streams share. Any replica answers any request. */
export type ManagerApp = (request: Request) => Promise<Response>;

/** What is known of a request once it has come in. */
interface Incoming {
  readonly Variables: { caller?: Caller; trace: ReturnType<typeof traceOf> };
}

export const managerApp = (settings: AppSettings): ManagerApp => {
  const { ports, tenant, keys, hosts } = settings;
  const api = apiOf(settings);
  const callOf = ({ req, get }: Context<Incoming>): ApiCall => ({
    ...api,
    ...(get('caller') ?? anybody(tenant)),
    request: req.raw,
    query: undefined,
    param: (name) => req.param(name) ?? '',
    ...get('trace'),
  });
  const app = new Hono<Incoming>();
  app.use(async (context, next) => {
    context.set('trace', traceOf(context.req.raw, ports.random));
    await next();
    context.res.headers.set('traceparent', context.get('trace').traceparent);
    context.res.headers.set('x-content-type-options', 'nosniff');
  });
  app.use(async (context, next) => {
    const stranger = strangerOf(context.req.raw, hosts);
    if (stranger !== undefined)
      return problem(callOf(context), { status: 403, code: 'refused', title: stranger });
    const caller = callerOf(context.req, settings);
    if ('refusal' in caller) return problem(callOf(context), caller.refusal);
    context.set('caller', caller);
    return next();
  });
  let document: object | undefined;
  app.get('/livez', livez);
  app.get('/readyz', (context) => readyz(callOf(context), ports, keys?.problems() ?? []));
  app.get('/openapi.json', () => {
    document ??= openApi(operations, keys !== undefined);
    return jsonAnswer(document);
  });
  for (const path of ['/livez', '/readyz', '/openapi.json'])
    app.all(path, (context) => otherMethod(callOf(context), ['GET']));
  for (const [path, all] of Map.groupBy(operations, ({ route }) => route.getRoutingPath())) {
    for (const one of all) app.on(one.method, path, (context) => answerOf(callOf(context), one));
    const methods = all.map(({ method }) => method);
    app.all(path, (context) => otherMethod(callOf(context), methods));
  }
  app.notFound((context) => notFound(callOf(context), 'route'));
  app.onError((error, context) => {
    if (error instanceof StoredDefect) return unread(callOf(context), error);
    ports.log('error', 'a request ended by a defect', { error: String(error) });
    return problem(callOf(context), {
      status: 500,
      code: 'defect',
      title: 'Something is wrong on this side',
    });
  });
  return async (request) => app.fetch(request);
};

/** No defect of this side: a rollout of the managers is under way, and this one is not up to it yet. */
const unread = (call: ApiCall, { message }: StoredDefect): Response => {
  const job = call.param('job');
  return problem(call, {
    status: 503,
    code: 'build',
    title: 'A newer manager has written what this one cannot read; ask again, another replica may know it',
    detail: message,
    retryAfterS: 5,
    ...(job !== '' && { job }),
  });
};

const apiOf = ({ ports, catalogue, durability, tenant, draining }: AppSettings): Api => {
  const steady = steadyPorts(ports);
  return {
    ports: steady,
    hub: eventHub(steady),
    bodies: bodyRoom(),
    listed: sharedLook((of: TenantId) => listedJobs(steady, of)),
    catalogue,
    durability,
    tenant,
    values: blobValues(ports.blobs),
    draining: draining ?? new AbortController().signal,
  };
};

/** A process that is about to end answers what it has begun; whoever comes now goes to another. */
const answerOf = async (call: ApiCall, { type, query, answer }: Operation): Promise<Response> => {
  if (call.draining.aborted)
    return problem(call, {
      status: 503,
      code: 'draining',
      title: 'This process is about to end; ask again',
      retryAfterS: 1,
      headers: { connection: 'close' },
    });
  if (!accepts(call.request.headers.get('accept'), type))
    return problem(call, {
      status: 406,
      code: 'not_acceptable',
      title: `The answer is ${type}, and the caller takes none of that`,
    });
  const asked = readQuery(call.request, query);
  if ('errors' in asked) return invalidQuery(call, asked.errors);
  return answer({ ...call, query: asked.query });
};

/** What may be done with a resource, to who asks for that, and to who tries something else. */
const otherMethod = (call: ApiCall, methods: readonly string[]): Response => {
  const all = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].toSorted();
  const allow = all.join(', ');
  if (call.request.method === 'OPTIONS')
    return new Response(null, { status: 204, headers: { allow, 'cache-control': 'no-store' } });
  return problem(call, {
    status: 405,
    code: 'method_not_allowed',
    title: `Here one may ${methods.join(' or ')}`,
    headers: { allow },
  });
};
