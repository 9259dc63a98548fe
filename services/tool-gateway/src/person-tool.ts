import { json, ok } from '@foldmesh/envelope';
import { defineTool, pause, type Tool } from '@foldmesh/sdk';
import { z } from 'zod';

const questionLengthMax = 2_000;

/** Asks a person. The call waits, for days if need be; what they answer is its output. */
export const personTool = (): Tool =>
  defineTool({
    name: 'person.ask',
    description:
      'Asks a person a question and waits for the answer. Use it when you cannot find out yourself.',
    effect: 'read',
    input: z.strictObject({
      question: z.string().min(1).max(questionLengthMax),
      /** Texts to choose from. */
      options: z.array(z.string().min(1).max(200)).min(2).max(20).optional(),
    }),
    output: json,
    run: ({ question, options }) =>
      Promise.resolve(
        ok(pause(question, options === undefined ? { type: 'string' } : { type: 'string', enum: options })),
      ),
  });
