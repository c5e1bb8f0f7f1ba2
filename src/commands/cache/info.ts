import { defineCommand } from '../../command.ts';
import { count, size } from '../../output/format.ts';
import { cacheUsage } from '../../project/packing-cache/index.ts';
import { document, integer, text } from '../../result-schema.ts';

export default defineCommand({
  run: async ({ settings }) => cacheUsage(settings.folders.cache),
  view:
    ({ folder, files, bytes }) =>
    () =>
      files === 0 ? `${folder} is empty` : `${size(bytes)} in ${count(files, 'file')}, in ${folder}`,
  effect: 'reads',
  local: true,
  exits: [],
  json: document({
    folder: text('where the compressed files are'),
    files: integer('number of files'),
    bytes: integer('total size'),
  }),
  details: [
    'Compressed files of the apps that were packed or deployed from this machine. They make the next archive faster and ' +
      'change nothing in it. The cache takes at most 2 GiB, and at most a tenth of the free space.',
    'gantry config set packing-cache off turns it off; --no-cache does for one command.',
  ],
  examples: ['cache info', 'cache info --json=bytes'],
});
