import { type Instant, invariant, ok } from '@foldmesh/envelope';
import type { Delivery } from '@foldmesh/ports';
import { type PortCall, type Stand, unanswered } from './stand.ts';
import type { Message } from './waiting-room.ts';
import type { WorkQueue } from './work-queue.ts';

/**
 * One message in somebody's hands. It knows only its message, not whether it is still the last delivery of it: a late
 * ack deletes the message under its new holder, as with the real broker.
 */
export const deliveryOf = (
  { clock, dice, settings }: Stand,
  call: PortCall,
  source: string,
  taken: {
    readonly message: Message;
    readonly queue: WorkQueue;
    readonly redelivered: boolean;
    readonly at: Instant;
  },
): Delivery => {
  const { message, queue } = taken;
  const later = (work: () => void): void => void clock.sleep(dice.wait(settings.lateMsMax)).then(work);
  return {
    subject: message.subject,
    headers: message.headers,
    body: message.body.slice(),
    redelivered: taken.redelivered,
    received_at: taken.at,
    ack: () =>
      call(() => {
        if (dice.hits('lateAck')) {
          later(() => queue.remove(message));
          return ok(undefined);
        }
        const lost = dice.hits('loseAck');
        if (lost && dice.coin()) return ok(undefined);
        queue.remove(message);
        return lost ? unanswered(source) : ok(undefined);
      }),
    working: () =>
      call(() => {
        if (dice.hits('lateWorking')) later(() => queue.extend(message));
        else queue.extend(message);
        return ok(undefined);
      }),
    nak: (delayMs) => {
      invariant(
        Number.isInteger(delayMs) && delayMs >= 0,
        'nak: the delay is in whole milliseconds, or it is none',
      );
      return call(() => {
        const forgotten = delayMs > 0 && dice.hits('forgetDelay');
        if (!forgotten) queue.giveBack(message, delayMs);
        else if (dice.coin()) queue.giveBack(message, 0);
        else queue.giveBack(message, settings.ackWaitMs);
        return ok(undefined);
      });
    },
  };
};
