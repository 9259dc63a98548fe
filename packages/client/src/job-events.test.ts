import { describe, expect, it } from 'vitest';
import { ApiError } from './api-error.ts';
import type { StreamStep } from './stream-event.ts';
import { lost, refused, type Scripted, scripted, silent, stream } from './testing/scripted.ts';

const frame = (id: string, kind: string, data: object): string =>
  `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify({ at: 5, kind, v: 1, ...data })}\n\n`;

const retried = (id: string): string => frame(id, 'tasks-retried', { tasks: [0] });
const completed = (id: string): string => frame(id, 'job-completed', { end_reason: 'goal', at: 9 });
const beat = ': keep-alive\n\n';

const record = {
  id: 'j-1',
  name: 'n',
  status: 'running',
  labels: {},
  round: 1,
  plan: { tasks: 0, decision: null },
  tasks: [],
  usage: { tool_calls: 0, model_calls: 0 },
  requests: [],
  budget_left: { wall_ms: 1 },
  durability: 'process',
  trace_id: 'a'.repeat(32),
  created_at: 1,
  links: {},
};
const reset = `event: reset\ndata: ${JSON.stringify(record)}\n\n`;

const nameOf = (step: StreamStep): string =>
  step.kind === 'event' || step.kind === 'other' ? step.id : step.kind;

const hear = async ({ client }: Scripted, after?: string): Promise<readonly string[]> => {
  const heard: string[] = [];
  for await (const step of client.events('j-1', { after })) heard.push(nameOf(step));
  return heard;
};

const lastIds = ({ asked }: Scripted) => asked.map(({ headers }) => headers.get('last-event-id'));

describe('events', () => {
  it('are told to the end, with their times', async () => {
    const { client, asked } = scripted(stream([retried('1.0') + beat, completed('2.0')]));
    const steps: StreamStep[] = [];
    for await (const step of client.events('j-1')) steps.push(step);
    expect(steps).toEqual([
      { kind: 'event', id: '1.0', event: { kind: 'tasks-retried', v: 1, tasks: [0], at: 5 } },
      { kind: 'event', id: '2.0', event: { kind: 'job-completed', v: 1, end_reason: 'goal', at: 9 } },
    ]);
    expect(asked).toHaveLength(1);
  });

  it('are not asked for again where the answer is no stream, or the place cannot be sent', async () => {
    const page = scripted(() => new Response('<p>sign in</p>', { headers: { 'content-type': 'text/html' } }));
    await expect(hear(page)).rejects.toMatchObject({ code: 'unreadable', status: 200, retryable: false });
    const place = scripted(lost);
    await expect(hear(place, '1.0\n2.0')).rejects.toMatchObject({ code: 'unaskable' });
    expect(page.asked.length + place.asked.length).toBe(1);
  });

  it('are each told once, whatever breaks on the way', async () => {
    const told = scripted(
      lost,
      stream([retried('1.0'), retried('1.1')], 'cut'),
      refused(503, {}, { 'retry-after': '1' }),
      stream([retried('1.1'), retried('10.0').slice(0, 20)]),
      stream([retried('1.1'), retried('10.0'), completed('10.1')]),
    );
    expect(await hear(told)).toEqual(['1.0', '1.1', '10.0', '10.1']);
    expect(lastIds(told)).toEqual([null, null, '1.1', '1.1', '1.1']);
  });

  it('go on from where the reader was, and are over for who has had all', async () => {
    const told = scripted(stream([completed('3.0')]));
    expect(await hear(told, '2.4')).toEqual(['3.0']);
    expect(lastIds(told)).toEqual(['2.4']);
    expect(
      await hear(
        scripted(() => new Response(null, { status: 204 })),
        '3.0',
      ),
    ).toEqual([]);
  });

  it('begin anew after a reset, however far the reader had been', async () => {
    const told = scripted(stream([reset, retried('4.0')], 'cut'), stream([retried('4.0'), completed('5.0')]));
    expect(await hear(told, '999.0')).toEqual(['reset', '4.0', '5.0']);
    expect(lastIds(told)).toEqual(['999.0', '4.0']);
  });

  it('are told beside live news, and beside what a newer manager has to say', async () => {
    const live =
      'event: live\ndata: {"kind":"token-delta","task":"a","round":1,"step":2,"at":0,"text":"a"}\n\n';
    const newer = 'event: live\ndata: {"kind":"hum","task":"a"}\n\n';
    const told = scripted(stream([live + newer + frame('1.0', 'job-teleported', {}), completed('2.0')]));
    expect(await hear(told)).toEqual(['live', '1.0', '2.0']);
  });

  it('are asked for again when the connection says nothing any more', async () => {
    const told = scripted(stream([retried('1.0')], 'silent'), stream([completed('2.0')]));
    const heard: string[] = [];
    for await (const step of told.client.events('j-1')) {
      heard.push(nameOf(step));
      if (heard.length === 1) setTimeout(told.silence);
    }
    expect(heard).toEqual(['1.0', '2.0']);
    expect(lastIds(told)).toEqual([null, '1.0']);
  });

  it('end early when the reader says so, also in the middle of silence', async () => {
    const over = new AbortController();
    const told = scripted(stream([retried('1.0')], 'silent'));
    const heard: string[] = [];
    for await (const step of told.client.events('j-1', { signal: over.signal })) {
      heard.push(nameOf(step));
      setTimeout(() => over.abort());
    }
    expect([heard, told.asked.length]).toEqual([['1.0'], 1]);
  });

  it('are asked for again when not even the headers come', async () => {
    const told = scripted(silent('request'), stream([completed('2.0')]));
    setTimeout(told.silence);
    expect(await hear(told)).toEqual(['2.0']);
  });

  it('are given up by one that has no end, and not asked for again', async () => {
    const piece = 'x'.repeat(1024 * 1024);
    const endless = scripted(
      stream(['id: 1.0\ndata: "', ...Array.from({ length: 70 }, () => piece)], 'silent'),
    );
    await expect(hear(endless)).rejects.toMatchObject({
      code: 'unreadable',
      retryable: false,
      message: expect.stringContaining('more than 67108864 characters'),
    });
    expect(endless.asked).toHaveLength(1);
    const long = scripted(
      stream(['id: 1.0\nevent: x\ndata: "', ...Array(60).fill(piece), '"\n\n', completed('2.0')]),
    );
    expect(await hear(long)).toEqual(['1.0', '2.0']);
  });

  it('fail by what asking again cannot mend', async () => {
    await expect(hear(scripted(refused(404, { code: 'not_found' })))).rejects.toMatchObject({
      code: 'not_found',
    });
    const broken = scripted(stream(['id: 1.0\nevent: x\ndata: {"a":\n\n']));
    await expect(hear(broken)).rejects.toBeInstanceOf(ApiError);
    expect(broken.asked).toHaveLength(1);
  });
});
