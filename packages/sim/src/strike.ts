import { sha256Hex, type WireId } from '@foldmesh/envelope';
import type { Life } from '@foldmesh/worlds';
import type { Blow } from './blows.ts';
import { count } from './coverage.ts';
import type { Stage } from './stage.ts';
import { newerEnvelope, olderEnvelope } from './strangers.ts';

/** Lets a blow fall, and waits until it is over. */
export const strike = async (stage: Stage, blow: Blow): Promise<void> => {
  const { world, crew, coverage } = stage;
  const { clock, net, doors, history } = world;
  count(coverage, `blow ${blow.kind}`);
  const struck = 'who' in blow ? pick(crew.living(), blow.who) : undefined;
  switch (blow.kind) {
    case 'all-die':
      for (const life of crew.living()) life.kill('with all others');
      return;
    case 'one-dies':
      struck?.kill('alone');
      return;
    case 'stand-still': {
      history.say(struck?.name ?? 'nobody', 'STANDS STILL');
      struck?.stop();
      await clock.sleep(blow.forMs);
      history.say(struck?.name ?? 'nobody', 'goes on');
      struck?.go();
      return;
    }
    case 'link-cut':
      if (struck !== undefined) await cut(stage, struck.name, blow.ports, blow);
      return;
    case 'inbox-away':
      return cut(stage, '*', ['inbox'], blow);
    case 'dead-away':
      return cut(stage, '*', ['dead'], blow);
    case 'inbox-emptied':
      history.say('inbox', 'IS EMPTIED');
      return doors.forgetAll();
    case 'inbox-fails-over':
      history.say('inbox', 'FAILS OVER to a replica');
      return doors.failOver();
    case 'clock-jumps':
      if (struck === undefined) return;
      history.say(struck.name, `has its clock JUMP by ${blow.byMs} ms`);
      net.setAhead(struck.name, blow.byMs);
      return;
    case 'older-envelope':
      await world.ports.bus.publish(olderEnvelope(blow.which));
      return;
    case 'newer-envelope':
      return foreign(stage, blow.which);
  }
};

const pick = (living: readonly Life[], who: number): Life | undefined =>
  living[who % Math.max(1, living.length)];

const cut = async (
  { world }: Stage,
  name: string,
  ports: readonly string[],
  { forMs, how }: Extract<Blow, { forMs: number; how: unknown }>,
): Promise<void> => {
  const { net, history, clock } = world;
  history.say(name, `is CUT OFF (${how}) from ${ports.join(', ')}`);
  net.cut(name, ports, how);
  await clock.sleep(forMs);
  net.mend(name, ports);
  history.say(name, `reaches ${ports.join(', ')} again`);
};

/** Only what was stored has to come to something; a copy of one that is there counts for nothing. */
const foreign = async ({ world, foreign: all, plot }: Stage, which: number): Promise<void> => {
  const id = sha256Hex(`${plot.seed}/${which}/${all.length}`).slice(0, 32) as WireId; // 32 hex digits
  const message = newerEnvelope(which, world.clock.now(), id);
  const stored = await world.ports.bus.publish(message);
  if (stored.ok && !stored.value.duplicate) all.push({ message });
};
