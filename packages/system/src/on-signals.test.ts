import { describe, expect, it } from 'vitest';
import { onSignals } from './on-signals.ts';

describe('onSignals', () => {
  it('hears a real signal until it is disposed, and takes off only its own', async () => {
    const before = process.listenerCount('SIGTERM');
    const heard = Promise.withResolvers<string>();
    {
      await using _ = onSignals({ SIGTERM: () => heard.resolve('SIGTERM') });
      await using second = onSignals({ SIGTERM: () => undefined });
      expect(process.listenerCount('SIGTERM')).toBe(before + 2);
      process.kill(process.pid, 'SIGTERM');
      expect(await heard.promise).toBe('SIGTERM');
      expect(second).toBeDefined();
    }
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });

  it('listens to nothing that it was not asked to', async () => {
    const before = process.listenerCount('SIGINT');
    await using _ = onSignals({ SIGTERM: () => undefined });
    expect(process.listenerCount('SIGINT')).toBe(before);
  });
});
