import { defineCommand } from '../../command.ts';
import { getRun } from '../../contract/runs.ts';
import { GantryError, NotFoundError } from '../../errors.ts';
import { appLogSource, readLog } from '../../operations/logs/index.ts';
import { appLogOutput } from '../../views/log-line.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<app>', 'app name or id')
      .argument('<run>', 'run id')
      .option('--timestamps', 'show the time of each line')
      .option('--prefix', 'show the container of each line')
      .option('--raw', 'print lines unchanged, including control sequences'),
  run: async (context, app, run) => {
    const { api, project, openLog, signal } = context;
    // Only to tell a missing run from one without a log: other failures will fail the log request too.
    await api(getRun, { project, app, run }).catch((error: unknown) => {
      if (error instanceof NotFoundError || !(error instanceof GantryError) || signal.aborted) throw error;
    });
    return readLog(context, appLogSource({ api, project, openLog }, app, { runId: run }), {});
  },
  ...appLogOutput,
  effect: 'reads',
  examples: ['runs logs web 3f2a91c0-…', 'runs logs web 3f2a91c0-… --timestamps'],
});
