import { type ExitCode, exitCodes, type Shell } from '../command.ts';
import { type ApiOptions, withApi } from './api-connection.ts';
import { printJson, tableText } from './print.ts';

const digestShown = 12;

/** What jobs can use: every agent, skill, tool and pipeline that the pools offer. */
export const printCatalogue = (shell: Shell, options: ApiOptions): Promise<ExitCode> =>
  withApi(shell, options, undefined, async (client) => {
    const { offers, pools } = await client.catalogue();
    if (options.json === true) {
      printJson(shell, { offers, pools });
      return exitCodes.done;
    }
    shell.out(
      tableText(
        offers.map(({ kind, name, pool, digest, cost_ms }) => [
          kind,
          name,
          `pool ${pool}`,
          digest.slice(0, digestShown),
          cost_ms === undefined ? '' : `${Math.round(cost_ms)} ms`,
        ]),
      ),
    );
    for (const { pool, slots } of pools) shell.out(`pool ${pool}: ${slots} slots\n`);
    return exitCodes.done;
  });
