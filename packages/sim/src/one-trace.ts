import type { Queued } from '@foldmesh/embedded';
import { traceIdFrom } from '@foldmesh/envelope';
import { strangersJob } from './strangers.ts';

/** M7: one trace per job: every message of it names the trace that its submit named. */
export const traceProblem = ({ job, headers }: Queued): readonly string[] => {
  const { traceparent, 'Mesh-Type': type } = headers;
  if (traceparent === undefined || job === strangersJob) return [];
  const [, trace] = traceparent.split('-');
  return trace === traceIdFrom(job) ? [] : [`${job}: a ${type} goes by the trace ${trace}`];
};
