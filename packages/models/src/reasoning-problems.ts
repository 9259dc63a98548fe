import type { ModelRequest } from '@foldmesh/ports';
import { saidIn } from './said-in.ts';
import type { Script } from './script.ts';

/** Where reasoning does not come back as it was said: a provider that signs it refuses such a history for good. */
export const reasoningProblems = ({ messages }: ModelRequest, { turns }: Script): readonly string[] => {
  const problems: string[] = [];
  let turn = 0;
  let results: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') {
      results.push(message.text);
      continue;
    }
    const said = saidIn(turns[turn] ?? [], results.join('\n'));
    turn += 1;
    results = [];
    // A script that was written anew meanwhile knows nothing of what was said before.
    if (said === undefined) continue;
    const [was, is] = [said.reasoning, message.reasoning].map((one) => JSON.stringify(one));
    if (was === is) continue;
    const what = is === undefined ? 'is missing' : 'is not as it came';
    problems.push(`message ${index + 1}: the reasoning of turn ${turn} ${what}`);
  }
  return problems;
};
