import type { Type } from '@foldmesh/envelope';
import type { Delivery } from '@foldmesh/ports';
import { handBack, handBackUntilDeadline } from './hand-back.ts';
import { openDelivery, parkAndAck } from './message.ts';
import type { Host } from './service.ts';
import type { Letter } from './turn.ts';

/** A letter to be decided; undefined when the delivery was dealt with otherwise. */
export const openLetter = async (
  { ports, settings }: Host,
  listened: readonly Type[],
  delivery: Delivery,
): Promise<Letter | undefined> => {
  // It lay in our own buffer for a whole ack wait: somebody else has it by now.
  if (ports.clock.now() - delivery.received_at >= settings.ackWaitMs) return undefined;
  const opened = await openDelivery(ports, delivery);
  switch (opened.kind) {
    case 'open': {
      const { envelope, headers } = opened;
      if (listened.includes(envelope.type)) return { delivery, headers, envelope };
      await parkAndAck(ports, delivery, `nobody here listens to ${envelope.type}`);
      return undefined;
    }
    case 'newer': {
      const { type, v } = opened.headers;
      await handBackUntilDeadline(ports, delivery, () =>
        parkAndAck(ports, delivery, `unsupported version: ${type} v${v}, and its deadline has passed`),
      );
      return undefined;
    }
    case 'unreachable':
      await handBack(ports, delivery);
      return undefined;
    case 'bad':
      await parkAndAck(ports, delivery, opened.fault.detail);
      return undefined;
  }
};
