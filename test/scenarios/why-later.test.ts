import { fail, fault } from '@foldmesh/envelope';
import type { Model } from '@foldmesh/ports';
import { defineSkill, defineTool, z } from '@foldmesh/sdk';
import { describe, expect } from 'vitest';
import { agentOf, agentTask, plays } from './agents.ts';
import type { Run } from './mesh.ts';
import { causeIn, story, submit } from './why-hands.ts';

const laterMs = 60_000;

/** A tool that took nothing on, and says when to come back. */
const desk = (name: string, kind: 'throttled' | 'unavailable', detail: string) =>
  defineTool({
    name,
    effect: 'read',
    input: z.strictObject({}),
    run: async () => fail(fault(kind, detail, { retry_after_ms: laterMs })),
  });
const busyDesk = desk('desk.ask', 'throttled', 'the desk is busy');
const closedDesk = desk('desk.closed', 'unavailable', 'the desk is closed');

const busyModel: Model = {
  reply: async ({ model }) =>
    fail(fault('throttled', `the model ${model} answered 429`, { source: 'model', retry_after_ms: laterMs })),
};

const askTwice = defineSkill({
  name: 'desk.twice',
  input: z.strictObject({}),
  run: async (_, call) => {
    await call.tool('witness.read', { id: 'first' });
    return call.tool('desk.ask', {});
  },
});

/** Names its time, its tool or model, and what it was told; never before that time is it over. */
const waits =
  (on: string, ...parts: readonly string[]) =>
  async (run: Run): Promise<void> => {
    const cause = await causeIn(run, 'provider_quota');
    expect(cause).toMatchObject({ on });
    const until = cause.until ?? 0;
    expect(until).toBeGreaterThanOrEqual(run.clock.now() + 30_000);
    for (const part of [...parts, `until ${new Date(until).toISOString()}, in `, '1 try failed'])
      expect(cause.text).toContain(part);
  };

describe('why a job waits for a provider that has named a time', () => {
  story(
    'says so of a task that is one call of a tool',
    { tools: [busyDesk] },
    submit([{ id: 'a', tool: 'desk.ask', input: {} }]),
    waits('tool desk.ask', 'the call of tool desk.ask (task a)', 'throttled: the desk is busy'),
  );

  story(
    'says so of the call that a skill is at, whatever it has called before',
    { tools: [busyDesk], skills: [askTwice] },
    submit([{ id: 'a', skill: 'desk.twice', input: {} }]),
    waits('tool desk.ask', 'the call of tool desk.ask (task a)', 'throttled: the desk is busy'),
  );

  story(
    'says so of a tool that an agent calls',
    {
      tools: [busyDesk],
      agents: [agentOf({ tools: ['desk.ask'] })],
      model: plays([{ calls: [{ name: 'desk.ask' }] }]),
    },
    submit([agentTask()]),
    waits('tool desk.ask', 'the call of tool desk.ask (task trip)'),
  );

  story(
    'says so of the model of an agent, and which it is',
    { agents: [agentOf()], model: busyModel },
    submit([agentTask()]),
    waits(
      'model of agent traveller',
      'the model call of agent traveller (task trip)',
      'throttled: the model scripted/part answered 429',
    ),
  );

  story(
    'says of one that is away only when it is tried again',
    { tools: [closedDesk] },
    submit([{ id: 'a', tool: 'desk.closed', input: {} }]),
    async (run) => {
      const cause = await causeIn(run, 'retry');
      expect(cause.on).toBe('tool desk.closed');
      expect(cause.text).toContain('waits for its next try until');
      expect(cause.text).toContain('unavailable: the desk is closed');
    },
  );
});
