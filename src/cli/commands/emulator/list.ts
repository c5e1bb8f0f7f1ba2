import { gantryCommand, sentence } from '../../../kernel/command-line.ts';
import { ago } from '../../../kernel/output/format.ts';
import { table } from '../../../kernel/output/table.ts';
import { listRunningEmulators } from '../../../local/emulator/index.ts';
import { defineCommand } from '../../command.ts';
import { choice, documents, integer, list, text } from '../../result-schema.ts';

export default defineCommand({
  run: (context) => listRunningEmulators(context).map(({ environment: _, ...emulator }) => emulator),
  view: (emulators) =>
    table(emulators, ['PORT', 'COMMAND'], {
      PORT: ({ port }) => port,
      COMMAND: ({ command }) => command,
      APPS: ({ apps }) => apps.join(', '),
      STARTED: ({ startedAt }) => ago(startedAt),
      PID: ({ pid }) => pid,
      FOLDER: ({ folder }) => folder,
    }),
  empty: sentence`no emulator is running; ${gantryCommand`emulator start`} starts one`,
  effect: 'reads',
  local: true,
  exits: [],
  json: documents({
    command: choice(['dev', 'emulator start'], 'the command that runs it'),
    pid: integer('process id'),
    port: integer('port of the emulator'),
    url: text('URL of the emulator'),
    project: text('project id'),
    folder: text('folder of the command'),
    folders: list(text('folder'), 'folders of the apps that gantry dev runs'),
    apps: list(text('app name'), 'apps that gantry dev runs'),
    startedAt: text('when it was started'),
  }),
  examples: ['emulator list', 'emulator list --json'],
});
