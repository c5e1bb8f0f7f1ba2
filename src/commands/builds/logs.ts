import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { logFlags, readLogOptions } from '../../flags/log.ts';
import { buildLogSource, resolveBuild } from '../../operations/builds/index.ts';
import { readLog } from '../../operations/logs/index.ts';
import { passThrough, stream, text } from '../../result-schema.ts';
import { logLineView } from '../../views/log-line.ts';

export default defineCommand({
  configure: (command) =>
    logFlags(appArgument(command).argument('[build]', 'build id (default: latest)')).option(
      '--search <text>',
      'only show lines with this text',
    ),
  run: async (context, app, build, flags) => {
    const { project, signal, openLog, interruption } = context;
    const options = readLogOptions(context, flags);
    if (options.follow) interruption.message = '';
    const api = options.follow ? context.apiWithSignal(signal, () => {}) : context.api;
    const client = { api, project, openLog };
    const id = await resolveBuild(client, app, build);
    return readLog(context, buildLogSource(client, app, id, flags.search), options);
  },
  view: logLineView,
  data: ({ line }) => line.original,
  raw: ({ raw }) => raw === true,
  effect: 'reads',
  json: stream(passThrough({ id: text('line id'), createdAt: text('RFC 3339, UTC'), log: text('text of the line') })),
  examples: ['builds logs web', 'builds logs web b-1234 --timestamps', 'builds logs web -f'],
});
