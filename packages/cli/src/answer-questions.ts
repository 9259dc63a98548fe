import type { Json } from '@foldmesh/envelope';
import type { JobEvent } from '@foldmesh/job';
import type { Shell } from './command.ts';
import { questionText } from './question-text.ts';
import { readAnswer } from './read-answer.ts';
import { wrongAnswer } from './wrong-answer.ts';

/** The questions among these events. */
export const questionsIn = (
  events: readonly JobEvent[],
): readonly Extract<JobEvent, { kind: 'input-asked' }>[] =>
  events.filter((event) => event.kind === 'input-asked');

/** Where questions wait for whoever answers them, one after the other. */
export interface QuestionDesk {
  put(question: Question): void;
  /** Nobody is asked any more. */
  end(): Promise<void>;
}
type Question = ReturnType<typeof questionsIn>[number];

/** Why a question stays without an answer: nobody was there, or what was given for it cannot be one. */
export type GaveUp = 'nobody' | 'misfit';

/** With a given answer nobody is asked; else a person at a terminal is, and without one it is said how to answer. */
export const questionDesk = (
  shell: Shell,
  given: string | undefined,
  answer: (request: string, value: Json) => Promise<void>,
  giveUp: (why: GaveUp) => void,
): QuestionDesk => {
  const ended = new AbortController();
  let asking = Promise.resolve();
  const ask = async (again: Question): Promise<void> => {
    const { request, schema } = again;
    if (ended.signal.aborted) return;
    shell.err(`${questionText(again)}\n`);
    const said = given ?? (await shell.ask(ended.signal));
    if (said === undefined) {
      if (ended.signal.aborted) return;
      shell.err(
        shell.canAsk
          ? 'nothing was answered\n'
          : 'nobody is here to answer: run it on a terminal, or give --answer\n',
      );
      return giveUp('nobody');
    }
    const value = readAnswer(said, schema);
    const wrong = wrongAnswer(value, schema);
    if (wrong !== undefined) {
      shell.err(`${given === undefined ? '' : `--answer ${given}: `}${wrong}\n`);
      // A given answer would be wrong again; a person may choose anew.
      return given === undefined ? ask(again) : giveUp('misfit');
    }
    shell.err(`answered: ${said}\n`);
    await answer(request, value);
  };
  return {
    put(question) {
      asking = asking.then(() => ask(question));
    },
    async end() {
      ended.abort();
      await asking;
    },
  };
};
