import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { appLogSource, readLog } from '../../operations/logs/index.ts';
import { checkRunExists, resolveRun } from '../../operations/runs/index.ts';
import { appLogOutput } from '../../views/log-line.ts';

export default defineCommand({
  configure: (command) =>
    appArgument(command)
      .argument('[run]', 'run id (default: latest)')
      .option('--timestamps', 'show the time of each line')
      .option('--prefix', 'show the container of each line')
      .option('--raw', 'print lines unchanged, including control sequences'),
  run: async (context, app, word) => {
    const { api, project, openLog } = context;
    const run = await resolveRun(context, app, word);
    return readLog(context, appLogSource({ api, project, openLog }, app, { runId: run }), {
      onEmpty: () => checkRunExists(context, app, run),
    });
  },
  ...appLogOutput,
  effect: 'reads',
  examples: ['runs logs web 3f2a91c0-…', 'runs logs web 3f2a91c0-… --timestamps'],
});
