import { virtualClock } from '@foldmesh/embedded';
import { ok } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { netOf } from './reach.ts';

const netAt = () => {
  const clock = virtualClock();
  const net = netOf(clock);
  const done: string[] = [];
  const work = (what: string) => async () => {
    done.push(what);
    return ok(what);
  };
  return { clock, net, done, work };
};

describe('a link', () => {
  it('that is cut on the way out lets nothing through, and on the way back brings no answer', async () => {
    const { clock, net, done, work } = netAt();
    const reach = net.reachOf('worker-1');
    await clock.run(
      (async () => {
        net.cut('worker-1', ['bus', 'inbox'], 'out');
        expect(await reach.ask('bus.publish', work('lost'))).toMatchObject({
          ok: false,
          fault: { kind: 'unavailable' },
        });
        net.cut('worker-1', ['inbox'], 'back');
        expect(await reach.ask('inbox.claim', work('unheard'))).toMatchObject({
          ok: false,
          fault: { kind: 'unanswered' },
        });
        expect(await reach.ask('journal.last', work('whole'))).toEqual(ok('whole'));
      })(),
    );
    expect(done).toEqual(['unheard', 'whole']);
    expect(net.lost()).toBe(2);
  });

  it('is one service alone, unless all are cut off; who waits for it goes on when it is mended', async () => {
    const { clock, net, work } = netAt();
    const [one, other] = [net.reachOf('worker-1'), net.reachOf('worker-2')];
    net.cut('worker-1', ['bus'], 'out');
    expect([one.hears('bus'), other.hears('bus'), one.hears('inbox')]).toEqual([false, true, true]);
    net.cut('*', ['inbox'], 'back');
    expect([one.hears('inbox'), other.hears('inbox')]).toEqual([false, false]);
    const told: string[] = [];
    const waiting = one.hearsAgain('bus', new AbortController().signal).then(() => told.push('again'));
    const gone = new AbortController();
    const leaving = one.hearsAgain('bus', gone.signal).then(() => told.push('left'));
    gone.abort();
    await leaving;
    net.mend('worker-1', ['inbox']);
    await clock.settle();
    expect(told).toEqual(['left']);
    net.heal();
    await waiting;
    expect(told).toEqual(['left', 'again']);
    expect(await other.ask('inbox.claim', work('whole'))).toEqual(ok('whole'));
  });

  it('and a clock is as wrong as it was set, until all is healed', () => {
    const { net } = netAt();
    const reach = net.reachOf('manager-1');
    net.setAhead('manager-1', -2_000);
    expect([reach.ahead(), net.reachOf('manager-2').ahead()]).toEqual([-2_000, 0]);
    net.heal();
    expect(reach.ahead()).toBe(0);
  });
});
