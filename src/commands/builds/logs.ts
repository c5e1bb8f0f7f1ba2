import { defineCommand } from '../../command.ts';
import { logFlags, readLogOptions } from '../../flags/log.ts';
import { buildLogSource, findLatestBuild } from '../../operations/builds/index.ts';
import { type LabeledLine, readLog } from '../../operations/logs/index.ts';
import { logLineView } from '../../views/log-line.ts';

export default defineCommand({
  configure: (command) =>
    logFlags(command.argument('<app>', 'app name or id').argument('[build]', 'build id (default: latest)')).option(
      '--search <text>',
      'only show lines with this text',
    ),
  run: async (context, app, build, flags) => {
    const { project, signal, openLog, interruption } = context;
    const options = readLogOptions(context, flags);
    if (options.follow) interruption.message = '';
    const api = options.follow ? context.apiWithSignal(signal, () => {}) : context.api;
    const client = { api, project, openLog };
    const id = build ?? (await findLatestBuild(client, app));
    const lines = readLog(context, buildLogSource(client, app, id, flags.search), options);
    return options.follow ? lines : collectLines(lines);
  },
  view: (lines, flags) => (page) =>
    [lines]
      .flat()
      .map((line) => logLineView(line, flags)(page))
      .join('\n'),
  data: (lines) => (Array.isArray(lines) ? lines.map(({ line }) => line.original) : lines.line.original),
  raw: ({ raw }) => raw === true,
  passesThrough: true,
  json: { id: 'line id', createdAt: 'RFC 3339, UTC', log: 'text of the line' },
  examples: ['builds logs web', 'builds logs web b-1234 --timestamps', 'builds logs web -f'],
});

async function collectLines(lines: AsyncIterable<LabeledLine>): Promise<LabeledLine[]> {
  const collected: LabeledLine[] = [];
  for await (const line of lines) collected.push(line);
  return collected;
}
