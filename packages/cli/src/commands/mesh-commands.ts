import { Option } from 'commander';
import type { ApiOptions } from '../api/api-connection.ts';
import type { KeysOptions, NewKeyOptions } from '../manage-keys.ts';
import { addedCommand, type Commands } from './added-command.ts';
import { configOption, withApiOptions, withJson } from './command-options.ts';

/** The mesh itself: what it offers, who may ask, and how it is. */
export const addMeshCommands = (commands: Commands): void => {
  commands.program.commandsGroup('The mesh:');
  addCatalogue(commands);
  addKeys(commands);
  addDoctor(commands);
};

const addCatalogue = (commands: Commands): void => {
  const { shell, ended } = commands;
  const command = addedCommand(commands, {
    usage: 'catalogue',
    summary: 'list the agents, skills, tools and pipelines that jobs can use',
    examples: ['foldmesh catalogue'],
  });
  withApiOptions(withJson(command, 'print the catalogue as JSON')).action(async (options: ApiOptions) => {
    const { printCatalogue } = await import('../api/print-catalogue.ts');
    ended(await printCatalogue(shell, options));
  });
};

const fileOption = (): Option =>
  new Option('--file <file>', 'the file of keys (default: api.keys of the configuration)');

const addKeys = (commands: Commands): void => {
  const { shell, ended } = commands;
  const keys = commands.program
    .command('keys')
    .summary('make, list and revoke API keys')
    .description('Makes, lists and revokes API keys, in the file that the manager reads.');
  const create = addedCommand(commands, {
    below: keys,
    usage: 'create',
    summary: 'make a key, and print it once: it is stored nowhere',
    examples: ['foldmesh keys create --file keys.yaml --role submit --lifetime 30d'],
  });
  withJson(create, 'print the key as JSON')
    .addOption(fileOption())
    .addOption(configOption('foldmesh.yaml in the current folder'))
    .addOption(
      new Option('--role <role>', 'what its holder may do')
        .choices(['read', 'submit', 'operate', 'admin'])
        .default('submit'),
    )
    .option('--tenant <tenant>', 'whose jobs it is for', 'local')
    .option('--lifetime <time>', 'how long it can be used: 30m, 12h, 90d', '90d')
    .option('--note <text>', 'what it is for')
    .action(async (options: NewKeyOptions) => {
      const { createApiKey } = await import('../manage-keys.ts');
      ended(await createApiKey(shell, options));
    });
  const list = addedCommand(commands, {
    below: keys,
    usage: 'list',
    summary: 'list the keys; what opens the door is not stored and cannot be shown',
    examples: ['foldmesh keys list --file keys.yaml'],
  });
  withJson(list, 'print { "keys": […] }')
    .addOption(fileOption())
    .addOption(configOption('foldmesh.yaml in the current folder'))
    .action(async (options: KeysOptions) => {
      const { listApiKeys } = await import('../manage-keys.ts');
      ended(await listApiKeys(shell, options));
    });
  const revoke = addedCommand(commands, {
    below: keys,
    usage: 'revoke <id>',
    summary: 'take a key out of the file; running managers refuse it within a second',
    examples: ['foldmesh keys revoke $KEY --file keys.yaml'],
  });
  withJson(revoke, 'print what was revoked as JSON')
    .addOption(fileOption())
    .addOption(configOption('foldmesh.yaml in the current folder'))
    .action(async (id: string, options: KeysOptions) => {
      const { revokeApiKey } = await import('../manage-keys.ts');
      ended(await revokeApiKey(shell, id, options));
    });
};

const addDoctor = (commands: Commands): void => {
  const { shell, ended } = commands;
  const command = addedCommand(commands, {
    usage: 'doctor',
    summary: 'say what is in force, from where, what can be reached, and what is wrong',
    examples: ['foldmesh doctor', 'foldmesh doctor --config foldmesh.yaml --json'],
  });
  withApiOptions(withJson(command, 'print the findings as JSON'))
    .addOption(configOption('foldmesh.yaml in the current folder'))
    .action(async (options: ApiOptions & { readonly config?: string }) => {
      const { doctor } = await import('../doctor/doctor.ts');
      ended(await doctor(shell, options));
    });
};
