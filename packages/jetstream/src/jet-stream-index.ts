import { decodeJson, encodeJson, fail, fault, ok } from '@foldmesh/envelope';
import type { Index } from '@foldmesh/ports';
import { asking, type Connection } from './connection.ts';
import { listStream } from './list-stream.ts';
import { store } from './publish.ts';
import { streamNames } from './streams.ts';

const source = 'nats-index';

/** The last value of each subject. A list is what a consumer made for it finds at that moment. */
export const jetStreamIndex = (connection: Connection): Index => {
  const ask = asking(connection, source);
  return {
    put: (subject, value) => {
      const body = encodeJson(value);
      return ask(async () => {
        const stored = await store(connection, { subject, body });
        if (!stored.ok) return stored;
        if (stored.value.kind === 'stored') return ok(undefined);
        return fail(fault('unavailable', `${subject} was not stored`, { source, retry_after_ms: 1_000 }));
      });
    },
    list: (prefix) =>
      ask(async () => {
        // A wildcard stands for whole tokens; what is left of the prefix is compared here.
        const whole = `${prefix.slice(0, prefix.lastIndexOf('.') + 1)}>`;
        const messages = await listStream(connection, streamNames.index, whole, 'last');
        return ok(
          messages.flatMap(({ subject, data }) => {
            if (!subject.startsWith(prefix)) return [];
            const value = decodeJson(data);
            if (!value.ok) connection.settings.log('warn', 'the index has what cannot be read', { subject });
            return value.ok ? [{ subject, value: value.value }] : [];
          }),
        );
      }),
  };
};
