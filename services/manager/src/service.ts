import { ok, type PoolName, positionOf, type Queue } from '@foldmesh/envelope';
import { type JobEvent, type JobState, type JobType, jobDecider, jobTypes, observedIn } from '@foldmesh/job';
import type { Ports } from '@foldmesh/ports';
import {
  answers,
  folds,
  type HostSettings,
  type Part,
  type Service,
  serve,
  steadyPorts,
} from '@foldmesh/runtime';
import { type AdmissionSettings, admission, defaultAdmission } from './admission.ts';
import { type CatalogueView, catalogueView } from './catalogue-view.ts';
import { haltWork } from './halt-work.ts';
import { shardDeal } from './shard-deal.ts';
import { sweeper } from './sweeper.ts';
import { turnAway } from './turn-away.ts';

export interface ManagerSettings {
  readonly admission?: AdmissionSettings;
  readonly host?: HostSettings;
}

const shards = Array.from({ length: 16 }, (_, shard) => String(shard) as PoolName); // a digit or two is a token
const refreshMs = 1_000;
const haltSlots = 4;

/** Folds jobs: decides, assigns, merges, stops; wakes them when their time has come. */
export const managerService = (ports: Ports, settings: ManagerSettings = {}): Service => {
  const catalogue = catalogueView(steadyPorts(ports));
  const sweeping = sweeper();
  const decider = jobDecider(catalogue);
  const shared = shardDeal(shards);
  const mayCome = admission(steadyPorts(ports), catalogue, settings.admission ?? defaultAdmission);
  const jobs = folds<JobState, JobEvent, JobType>({
    decider,
    types: jobTypes,
    begins: ['job.submit'],
    queues: shards.flatMap((pool): Queue[] => [
      { service: 'manager', pool, lane: 'submit' },
      { service: 'manager', pool, lane: 'decide' },
    ]),
    turn: ({ pool }) => shared.turn(pool),
    entityOf: ({ key }) => {
      const { tenant, job } = positionOf(key);
      return { tenant, job };
    },
    traceOf: ({ trace_id }) => trace_id,
    before: (host, entity, envelope) => turnAway(host, entity, envelope, mayCome),
    onTurn(host, { tenant, job }, state, events) {
      for (const { name, ms } of observedIn(state, events)) catalogue.observe(name, ms);
      return sweeping.learn(host, tenant, job, state);
    },
  });
  const halts = shards.map((pool) =>
    answers({
      queue: { service: 'manager', pool, lane: 'call' },
      slots: haltSlots,
      by: [{ type: 'job.halt', work: haltWork }],
    }),
  );
  return serve(
    'manager',
    ports,
    [keepFresh(catalogue), shared.part, jobs, ...halts, sweeping.part],
    settings.host,
  );
};

/** The catalogue is known before the first job is read: what nobody has offered is refused, and an unread one offers nothing. */
const keepFresh =
  (catalogue: CatalogueView): Part =>
  async (host) => {
    const known = await catalogue.refresh();
    if (!known.ok) return known;
    host.nursery.go(async () => {
      while (!host.intake.aborted) {
        await host.ports.clock.sleep(refreshMs, host.intake);
        if (!host.intake.aborted) await catalogue.refresh();
      }
    });
    return ok(undefined);
  };
