import { expect, it } from 'vitest';
import { undocumented } from './testing/documented.ts';
import { hear } from './testing/frames.ts';
import { echo, hold, jobOf, refuse, stories } from './testing/test-api.ts';

const story = stories(it);

story('every event of a stream, and the record of a reset, is what the document says', async (api) => {
  const each = { id: 'each', skill: 'test.echo', for_each: [1, 2], input: '${item}' };
  const flaky = { id: 'f', skill: 'test.flaky', input: 1, retry: { attempts: 2 } };
  const broken = { ...refuse('r'), on_failure: 'skip' };
  const after = { ...echo('s'), depends_on: ['r'] };
  const jobs = [
    await api.submit(jobOf([each, flaky, broken, after])),
    await api.submit(jobOf([hold('a'), refuse('b')], { split: 'always' })),
  ];
  const kinds = new Set<string>();
  for (const job of jobs) {
    await api.ended(job);
    for (const { event, data } of (await hear(await api.get(`/v1/jobs/${job}/events`))).frames) {
      kinds.add(event);
      expect([event, undocumented('StreamEvent', data)]).toEqual([event, undefined]);
    }
    const again = await hear(await api.get(`/v1/jobs/${job}/events`, { 'last-event-id': '999.0' }));
    expect(again.frames[0]?.event).toBe('reset');
    expect(undocumented('JobRecord', again.frames[0]?.data)).toBeUndefined();
  }
  expect(kinds.size).toBeGreaterThan(9);
});
