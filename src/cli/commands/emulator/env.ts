import { detectShell, evaluationOf, exportCommands, findEmulator, shells } from '../../../local/emulator/index.ts';
import { defineCommand } from '../../command.ts';
import { emulatorFields, portFlag } from '../../flags/emulator.ts';
import { choice, document, record, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .option(...portFlag)
      .addOption(
        command
          .createOption('--shell <shell>', 'syntax to print; dotenv is NAME=value (default: of this shell)')
          .choices(shells),
      ),
  run: (context, { port, shell = detectShell(context.env) }) => {
    const { command, apps, startedAt, folder, folders, ...emulator } = findEmulator(context, port);
    context.progress.note(`emulator on port ${emulator.port}, which gantry ${command} runs in ${folder}`);
    return { shell, ...emulator };
  },
  verbatim: () => true,
  view:
    ({ environment, shell, port }) =>
    ({ terminal }) =>
      // On a terminal the commands are shown, not run.
      exportCommands(environment, shell) + (terminal && shell !== 'dotenv' ? `\n${comment(shell, port)}` : ''),
  effect: 'reads',
  local: true,
  exits: ['not-found'],
  json: document({
    shell: choice(shells, 'the shell'),
    ...emulatorFields,
    project: text('project id'),
    environment: record(text('value'), 'environment variables for gantry and the official client'),
  }),
  details: ['For an emulator that `gantry dev` or `gantry emulator start` runs.'],
  examples: ['emulator env', 'emulator env --shell fish | source', 'emulator env --port 4101 --json'],
});

function comment(shell: (typeof shells)[number], port: number): string {
  const command = evaluationOf(`gantry emulator env --port ${port}`, shell);
  return `${shell === 'cmd' ? 'rem' : '#'} to run these commands: ${command}`;
}
