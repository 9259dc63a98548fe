import { type Command, Option } from 'commander';
import { parseInput } from '../parse-option.ts';

/** `--json`, which every command has: one document, or lines of JSON where something goes on. */
export const withJson = (command: Command, what: string): Command => command.option('--json', what);

/** Where the mesh is and who asks. The key itself is no option: whoever lists processes would see it. */
export const withApiOptions = (command: Command): Command =>
  command
    .option('--url <url>', 'where the API is (default: FOLDMESH_URL, else http://127.0.0.1:8080)')
    .option('--api-key-file <file>', 'file with the API key (default: the key in FOLDMESH_API_KEY)');

export const configOption = (otherwise: string): Option =>
  new Option('--config <file>', `configuration file (default: ${otherwise})`);

export const inputOption = (): Option =>
  new Option(
    '--input <name=value>',
    "set one of the job's inputs, as JSON where it reads as some ('n=\"1\"' is a text); may be given several times",
  )
    .argParser(parseInput)
    .default({}, 'those of the file');
