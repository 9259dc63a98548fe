import type { Queue } from '@foldmesh/envelope';
import type { Connection } from './connection.ts';
import { ensureConsumer } from './consumers.ts';
import { faultFrom } from './faults.ts';

/** Makes a consumer anew that is gone under its readers. */
export interface ConsumerMender {
  /** One try, unless one is under way. */
  mend(): void;
  settled(): Promise<void>;
}

/** Somebody has deleted the consumer, or a restored folder is older than it. `stir` is called after each try. */
export const consumerMender = (
  connection: Connection,
  queue: Queue,
  name: string,
  stir: () => void,
): ConsumerMender => {
  const { log } = connection.settings;
  let mending: Promise<void> | undefined;
  let said = '';

  const tryOnce = async (): Promise<void> => {
    const detail = await detailOf(connection, queue);
    if (detail === '') log('warn', 'a consumer was missing and was made anew', { consumer: name });
    else if (detail !== said) log('warn', 'a consumer is missing', { consumer: name, fault: detail });
    said = detail;
    mending = undefined;
    stir();
  };

  return {
    mend: () => {
      mending ??= tryOnce();
    },
    settled: async () => mending,
  };
};

/** What was wrong with a try, or nothing. */
const detailOf = async (connection: Connection, queue: Queue): Promise<string> => {
  try {
    const made = await ensureConsumer(connection, queue);
    return made.ok ? '' : made.fault.detail;
  } catch (error) {
    return faultFrom(error, 'nats-consumers').detail;
  }
};
