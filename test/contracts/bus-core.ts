import { decodeUtf8 } from '@foldmesh/envelope';
import { expect } from 'vitest';
import { type Bench, promise, type Rig, soon } from './rig.ts';
import { bytesOf } from './samples.ts';

export const coreSubjects = (rig: Rig<'bus'>): void => {
  promise(
    rig,
    'a core message reaches everybody who listens, later than its publisher goes on',
    async (bench) => {
      const { bus } = bench.ports;
      const ears = await listening(bench, ['live.a', 'live.a']);
      bus.cast(`${bench.make.tenant}.live.a`, bytesOf('news'));
      expect(ears.map((ear) => ear.heard)).toEqual([[], []]);
      await soon(bench, () =>
        expect(ears.map((ear) => ear.heard)).toEqual([['live.a "news"'], ['live.a "news"']]),
      );
    },
  );

  promise(rig, 'a star stands for one token, and a last > for one or more', async (bench) => {
    const ears = await listening(bench, ['live.*', 'live.*.deep', 'live.>', '>', 'live.a']);
    for (const subject of ['live', 'live.a', 'live.a.deep', 'live.a.b.c'])
      bench.ports.bus.cast(`${bench.make.tenant}.${subject}`, bytesOf(''));
    await soon(bench, () =>
      expect(ears.map((ear) => ear.heard.map((line) => line.split(' ')[0]))).toEqual([
        ['live.a'],
        ['live.a.deep'],
        ['live.a', 'live.a.deep', 'live.a.b.c'],
        ['live', 'live.a', 'live.a.deep', 'live.a.b.c'],
        ['live.a'],
      ]),
    );
  });

  promise(rig, 'a core message that nobody listens for is lost', async (bench) => {
    bench.ports.bus.cast(`${bench.make.tenant}.live.a`, bytesOf('early'));
    await bench.advance(bench.slackMs);
    const [ear] = await listening(bench, ['live.a']);
    await bench.advance(bench.slackMs);
    expect(ear?.heard).toEqual([]);
  });

  promise(rig, 'who stops listening hears nothing more, not even what is under way', async (bench) => {
    const [ear] = await listening(bench, ['live.a']);
    bench.ports.bus.cast(`${bench.make.tenant}.live.a`, bytesOf('under way'));
    await ear?.close();
    bench.ports.bus.cast(`${bench.make.tenant}.live.a`, bytesOf('too late'));
    await bench.advance(bench.slackMs);
    expect(ear?.heard).toEqual([]);
  });

  promise(
    rig,
    'core messages of one publisher come in their order, each with the bytes it had',
    async (bench) => {
      const [ear] = await listening(bench, ['live.a']);
      const bytes = bytesOf('0');
      for (const digit of '123') {
        bytes.set(bytesOf(digit));
        bench.ports.bus.cast(`${bench.make.tenant}.live.a`, bytes);
      }
      await soon(bench, () => expect(ear?.heard).toEqual(['live.a "1"', 'live.a "2"', 'live.a "3"']));
    },
  );
};

/** Listens on patterns below the test's own tenant and writes down what comes. */
const listening = async (bench: Bench<'bus'>, patterns: readonly string[]) => {
  const root = `${bench.make.tenant}.`;
  const ears = patterns.map((pattern) => {
    const heard: string[] = [];
    const ear = bench.ports.bus.listen(root + pattern, (body, subject) => {
      const text = decodeUtf8(body);
      heard.push(`${subject.slice(root.length)} ${text.ok ? text.value : 'not UTF-8'}`);
    });
    return { heard, close: () => ear[Symbol.asyncDispose]() };
  });
  // A server knows of a listener only after the next round trip.
  await bench.advance(bench.slackMs);
  return ears;
};
