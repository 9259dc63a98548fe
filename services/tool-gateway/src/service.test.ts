import { embedded, seededRandom, virtualClock } from '@foldmesh/embedded';
import {
  catalogueSubject,
  decodeJson,
  EnvelopeBody,
  JobId,
  keyOf,
  type Outcome,
  Outcome as OutcomeSchema,
  PoolName,
  type Sealed,
  seal,
  TaskId,
  TenantId,
  traceIdFrom,
  wireIdOf,
} from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import { defineTool, type Fault, ok, type Tool, z } from '@foldmesh/sdk';
import { describe, expect, it } from 'vitest';
import { gatewayService } from './service.ts';

const pool = PoolName.parse('default');

type Spoil = (message: Sealed) => Sealed;

interface Bench {
  readonly ports: Ports;
  /** What a waiting skill is told, or `undefined` when nothing has come in `ms`; `spoil` is done to the message on its way. */
  readonly call: (tool: string, step: number, ms?: number, spoil?: Spoil) => Promise<Outcome | undefined>;
}

const serving = async (tools: readonly Tool[], test: (bench: Bench) => Promise<void>): Promise<void> => {
  const clock = virtualClock();
  const random = seededRandom('gateway');
  const ports: Ports = { ...embedded({ clock, random }), clock, random, log: () => undefined };
  const call: Bench['call'] = async (tool, step, ms = 20_000, spoil = (message) => message) => {
    const answered = Promise.withResolvers<Outcome>();
    await using _ear = ports.bus.listen(`reply.${step}`, (body) => answered.resolve(outcomeOf(body)));
    const at = clock.now();
    const key = keyOf({
      tenant: TenantId.parse('acme'),
      job: JobId.parse('job'),
      task: TaskId.parse('task'),
      round: 1,
      step: String(step),
      call: '0',
    });
    const draft = {
      type: 'tool.call',
      to: { service: 'tool-gateway', pool },
      key,
      attempt: 1,
      payload: { tool, input: {} },
      deadline: at + 60_000,
      reply_to: `reply.${step}`,
    } as const;
    const stamp = { sender: 'worker.default', at, since: at, epoch: 0, trace_id: traceIdFrom('x') } as const;
    expect(await ports.bus.publish(spoil(seal(draft, stamp).message))).toMatchObject({ ok: true });
    const late = clock.sleep(ms).then(() => undefined);
    return await Promise.race([answered.promise, late]); // awaited here: disposing must come after
  };
  await clock.run(
    (async () => {
      const settings = { pool, slots: 4, tools: tools.map((definition) => ({ definition })) };
      const started = await gatewayService(ports, settings).start();
      if (!started.ok) throw new Error(started.fault.detail);
      await test({ ports, call });
      await started.value.stop(1_000);
    })(),
  );
};

const outcomeOf = (body: Uint8Array): Outcome => {
  const decoded = decodeJson(body);
  const { payload } = EnvelopeBody.parse(decoded.ok ? decoded.value : undefined);
  return OutcomeSchema.parse((payload as { readonly outcome: unknown }).outcome);
};

const toolOf = (name: string, effect: Tool['effect'], run: () => unknown): Tool =>
  defineTool({ name, effect, input: z.strictObject({}), run: async () => run() as never }); // answers as badly written tools do

describe('a call of a tool that this gateway lacks', () => {
  it('comes round again where another build of the pool offers it', () =>
    serving([], async ({ ports, call }) => {
      const offers = [{ kind: 'tool', name: 'test.new', digest: 'e'.repeat(64) }];
      const newer = { service: 'tool-gateway', pool, slots: 1, at: ports.clock.now(), offers };
      await ports.index.put(catalogueSubject('tool-gateway', pool, 'newer'), newer);
      // When it comes round nobody waits for it any more: here no journal knows of its job.
      expect(await call('test.new', 1)).toMatchObject({ kind: 'failed', fault: { source: 'given_up' } });
    }));

  it('is a mistake where nobody offers it, and is told at once', () =>
    serving([toolOf('test.old', 'read', () => ok(1))], async ({ call }) => {
      expect(await call('test.nwe', 1)).toMatchObject({
        kind: 'failed',
        fault: { kind: 'invalid', detail: 'there is no tool test.nwe; there are test.old' },
      });
    }));
});

describe('what a badly written tool says', () => {
  const failing = (said: unknown) => toolOf('test.fails', 'read', () => ({ ok: false, fault: said }));

  it.each([
    [
      { kind: 'refused', detail: 'no', retry_after_ms: Number.NaN },
      { kind: 'refused', detail: 'no' },
    ],
    [{ kind: 'refused', detail: 7 }, { kind: 'invalid' }],
    [{ kind: 'sulking', detail: 'no' }, { kind: 'invalid' }],
    [undefined, { kind: 'invalid' }],
  ])('of its failure (%j) is something that can be read', (said, told) =>
    serving([failing(said)], async ({ call }) => {
      const outcome = await call('test.fails', 1);
      expect(outcome).toMatchObject({ kind: 'failed', fault: told });
      expect((outcome as { readonly fault: Fault }).fault).not.toHaveProperty('retry_after_ms');
    }),
  );

  it('with half a character in it has the sign for a lost one there, and its effect counts', () =>
    serving([toolOf('test.cuts', 'unsafe', () => ok({ said: 'good 😀'.slice(0, 6) }))], async ({ call }) => {
      expect(await call('test.cuts', 1)).toEqual({
        kind: 'done',
        output: { value: { said: 'good \uFFFD' } },
      });
    }));
});

describe('a call that nobody can read', () => {
  const torn: Spoil = (message) => ({ ...message, body: message.body.subarray(0, 40) });
  const silent = toolOf('test.silent', 'unsafe', () => new Promise(() => {}));

  it('is one dead letter, and the skill that waits for it is told at once', () =>
    serving([], async ({ ports, call }) => {
      expect(await call('test.old', 1, 1_000, torn)).toMatchObject({
        kind: 'failed',
        fault: { kind: 'invalid', detail: expect.stringContaining('not JSON') },
      });
      const letters = await ports.dead.list('acme', 'job');
      expect(letters.ok && letters.value.map(({ body }) => body.length)).toEqual([40]);
    }));

  it('is told to the run of the agent that asked, in the pool of its worker', () =>
    serving([], async ({ ports, call }) => {
      const subscribed = await ports.bus.subscribe({ service: 'worker', pool, lane: 'decide' });
      if (!subscribed.ok) throw new Error(subscribed.fault.detail);
      const unheard = { reply: undefined };
      await call('test.old', 1, 1_000, (message) =>
        torn({ ...message, headers: { ...message.headers, ...unheard } }),
      );
      const [delivery] = await subscribed.value.pull(1, new AbortController().signal);
      expect(delivery?.headers).toMatchObject({
        'Mesh-Type': 'tool.settle',
        'Mesh-Key': 'acme/job/task/1/1/0',
        'Mesh-From': 'tool-gateway.default',
      });
      expect(outcomeOf(delivery?.body ?? new Uint8Array())).toMatchObject({ kind: 'failed' });
    }));

  it('of a sender that is older than the header is a dead letter alone, as it was', () =>
    serving([], async ({ ports, call }) => {
      const older = { from: undefined, reply: undefined };
      const told = await call('test.old', 1, 1_000, (message) =>
        torn({ ...message, headers: { ...message.headers, ...older } }),
      );
      const letters = await ports.dead.list();
      expect([told, letters.ok && letters.value.length]).toEqual([undefined, 1]);
    }));

  it('M2: while another copy of it is at work says nothing: that one answers', () =>
    serving([silent], async ({ ports, call }) => {
      const first = call('test.silent', 1, 3_000);
      // As if the first had gone from its subject meanwhile, where a re-send would meet it.
      const again = call('test.silent', 1, 3_000, ({ subject, headers, ...message }) =>
        torn({
          ...message,
          subject: subject.replace(/1$/, '2'),
          headers: { ...headers, epoch: 1, id: wireIdOf(headers.type, headers.key, headers.attempt, 1) },
        }),
      );
      expect(await Promise.all([first, again])).toEqual([undefined, undefined]);
      const letters = await ports.dead.list('acme', 'job');
      expect(letters.ok && letters.value.map(({ reason }) => reason)).toEqual([
        expect.stringContaining('not JSON'),
      ]);
    }));
});
