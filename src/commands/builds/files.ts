import { defineCommand } from '../../command.ts';
import { getBuildZipContents } from '../../contract/builds.ts';
import { latestBuild } from '../../operations/builds.ts';
import { zipEntries } from '../../operations/zip-entries.ts';
import { table } from '../../output/table.ts';
import { size } from '../../output/words.ts';

export default defineCommand({
  configure: (command) =>
    command.argument('<app>', 'app name or id').argument('[build]', 'build id; the latest one if left out'),
  run: async ({ api, project }, app, build) =>
    api(getBuildZipContents, { project, app, build: build ?? (await latestBuild({ api, project }, app)) }),
  view: ({ zipFiles }) =>
    table(zipEntries(zipFiles), {
      FILE: (entry) => entry.path,
      SIZE: (entry) => size(entry.size),
      MORE: (entry) => entry.more,
    }),
  passesThrough: true,
  json: { id: 'build id', zipFiles: 'the files, as the platform says it' },
  examples: ['builds files web', 'builds files web b-1234 --json'],
});
