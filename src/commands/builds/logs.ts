import { defineCommand } from '../../command.ts';
import { logFlags, readLogOptions } from '../../flags/log.ts';
import { buildLogSource, findLatestBuild } from '../../operations/builds/index.ts';
import { type LabeledLine, readLog } from '../../operations/logs/index.ts';
import { logLineView } from '../../views/log-line.ts';

export default defineCommand({
  configure: (command) =>
    logFlags(
      command.argument('<app>', 'app name or id').argument('[build]', 'build id; the latest one if left out'),
    ).option('--search <text>', 'only lines with this text'),
  run: async (context, app, build, flags) => {
    const { project, signal, openLog, interruption } = context;
    const asked = readLogOptions(context, flags);
    if (asked.follow) interruption.message = '';
    const api = asked.follow ? context.apiWithSignal(signal, () => {}) : context.api;
    const needs = { api, project, openLog };
    const found = build ?? (await findLatestBuild(needs, app));
    const lines = readLog(context, buildLogSource(needs, app, found, flags.search), asked);
    return asked.follow ? lines : allOf(lines);
  },
  view: (lines, flags) => (page) =>
    [lines]
      .flat()
      .map((line) => logLineView(line, flags)(page))
      .join('\n'),
  data: (lines) => (Array.isArray(lines) ? lines.map(({ line }) => line.original) : lines.line.original),
  raw: ({ raw }) => raw === true,
  passesThrough: true,
  json: { id: 'line id', createdAt: 'RFC 3339, UTC', log: 'the line as it came' },
  examples: ['builds logs web', 'builds logs web b-1234 --timestamps', 'builds logs web -f'],
});

async function allOf(lines: AsyncIterable<LabeledLine>): Promise<LabeledLine[]> {
  const all: LabeledLine[] = [];
  for await (const line of lines) all.push(line);
  return all;
}
