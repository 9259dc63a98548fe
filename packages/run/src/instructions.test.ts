import { expect, test } from 'vitest';
import { Agent } from './agent.ts';
import { instructionsOf } from './instructions.ts';

const clerk = Agent.parse({
  name: 'clerk',
  instructions: 'Find it.',
  model: 'scripted/clerk',
  limits: { turns: 4, parallel: 2, group_ms: 1_500 },
});

test('C059: an agent is told its own instructions, the goal of its job, and its limits', () => {
  expect(instructionsOf(clerk, { goal: 'riches', wall_ms: 60_000 })).toBe(
    [
      'Find it.',
      "The job's goal: riches",
      'Your limits: 4 turns, your answer among them; 2 calls side by side in a turn, 1.5 s for all of them; 60 s for the whole job.',
    ].join('\n\n'),
  );
});

test('of a job without a goal, and where no job is known, it is told the rest', () => {
  expect(instructionsOf(clerk, { wall_ms: 500 })).toMatch(
    /^Find it\.\n\nYour limits: .*; 0\.5 s for the whole job\.$/,
  );
  expect(instructionsOf(clerk, undefined)).toMatch(/^Find it\.\n\nYour limits: [^;]*; [^;]*\.$/);
});
