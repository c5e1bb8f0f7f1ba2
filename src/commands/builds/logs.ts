import { defineCommand } from '../../command.ts';
import { getBuildLogs } from '../../contract/builds.ts';
import { logLines } from '../../operations/build-log.ts';
import { latestBuild } from '../../operations/builds.ts';
import { localTime } from '../../output/words.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<app>', 'app name or id')
      .argument('[build]', 'build id; the latest one if left out')
      .option('--timestamps', 'put the time before each line'),
  run: async ({ api, project }, app, build) => {
    const found = build ?? (await latestBuild({ api, project }, app));
    const { logs } = await api(getBuildLogs, { project, app, build: found });
    return logs ?? [];
  },
  view:
    (entries, { timestamps }) =>
    ({ style }) =>
      entries
        .flatMap(({ log, createdAt }) => {
          const time = timestamps && createdAt ? `${style.dim(localTime(createdAt))} ` : '';
          return logLines(log).map((line) => time + line);
        })
        .join('\n'),
  empty: 'no log lines yet',
  passesThrough: true,
  json: { id: 'line id', createdAt: 'RFC 3339, UTC', log: 'the line as it came' },
  examples: ['builds logs web', 'builds logs web b-1234 --timestamps'],
});
