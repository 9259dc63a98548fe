import type { TenantId } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import { blobValues, steadyPorts } from '@foldmesh/runtime';
import { type Context, Hono } from 'hono';
import type { CatalogueView } from '../catalogue-view.ts';
import { answerInput } from './answer-input.ts';
import type { Api, ApiCall } from './api-call.ts';
import { cancelJob } from './cancel-job.ts';
import { getJob } from './get-job.ts';
import { livez, readyz } from './health.ts';
import { jobEvents } from './job-events.ts';
import { listJobs } from './list-jobs.ts';
import { notFound, problem } from './problem.ts';
import { strangerOf } from './stranger-of.ts';
import { submitJob } from './submit-job.ts';
import { traceOf } from './trace-of.ts';

export interface AppSettings {
  readonly ports: Ports;
  readonly catalogue: CatalogueView;
  /** What a job record says of how long an accepted job lives. */
  readonly durability: string;
  readonly tenant: TenantId;
  /** Aborts when this process is about to end. */
  readonly draining?: AbortSignal;
  /** Names that it may be called by; any where nothing is said. */
  readonly hosts?: readonly string[];
}

/** Callers need no key, so nobody may reach it from elsewhere, nor under a name that somebody else made point here. */
export const loopbackNames: readonly string[] = ['127.0.0.1', 'localhost'];

/** The API as a function: no socket, no state of its own. Any replica answers any request. */
export type ManagerApp = (request: Request) => Promise<Response>;

type Route = (call: ApiCall) => Promise<Response>;

export const managerApp = (settings: AppSettings): ManagerApp => {
  const { ports, catalogue, durability, tenant, hosts, draining = new AbortController().signal } = settings;
  const api: Api = {
    ports: steadyPorts(ports),
    catalogue,
    durability,
    tenant,
    values: blobValues(ports.blobs),
    draining,
  };
  const callOf = ({ req }: Context): ApiCall => ({
    ...api,
    request: req.raw,
    param: (name) => req.param(name) ?? '',
    ...traceOf(req.raw, ports.random),
  });
  const app = new Hono();
  const on = (path: string, routes: Readonly<Record<string, Route>>): void => {
    for (const [method, route] of Object.entries(routes))
      app.on(method, path, (context) => guarded(callOf(context), route));
    app.all(path, (context) => notAllowed(callOf(context), Object.keys(routes)));
  };
  app.use(async (context, next) => {
    const stranger = strangerOf(context.req.raw, hosts);
    if (stranger === undefined) return next();
    return problem(callOf(context), { status: 403, code: 'refused', title: stranger });
  });
  app.get('/livez', livez);
  app.get('/readyz', (context) => readyz(callOf(context), ports));
  on('/v1/jobs', { POST: submitJob, GET: listJobs });
  on('/v1/jobs/:job', { GET: getJob });
  on('/v1/jobs/:job/events', { GET: jobEvents });
  on('/v1/jobs/:job/cancel', { POST: cancelJob });
  on('/v1/jobs/:job/inputs/:request', { POST: answerInput });
  app.notFound((context) => notFound(callOf(context), 'route'));
  app.onError((error, context) => {
    ports.log('error', 'a request ended by a defect', { error: String(error) });
    return problem(callOf(context), {
      status: 500,
      code: 'defect',
      title: 'Something is wrong on this side',
    });
  });
  return async (request) => app.fetch(request);
};

/** A process that is about to end answers what it has begun; whoever comes now goes to another. */
const guarded = async (call: ApiCall, route: Route): Promise<Response> =>
  call.draining.aborted
    ? problem(call, {
        status: 503,
        code: 'draining',
        title: 'This process is about to end; ask again',
        retryAfterS: 1,
        headers: { connection: 'close' },
      })
    : route(call);

const notAllowed = (call: ApiCall, methods: readonly string[]): Response =>
  problem(call, {
    status: 405,
    code: 'method_not_allowed',
    title: `Here one may ${methods.join(' or ')}`,
    headers: { allow: methods.join(', ') },
  });
