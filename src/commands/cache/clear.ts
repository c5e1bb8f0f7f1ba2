import { defineCommand } from '../../command.ts';
import { toDiskErrorOf } from '../../disk/index.ts';
import { count, size } from '../../output/format.ts';
import { type CacheUsage, clearPackingCache } from '../../project/packing-cache/index.ts';
import { boolean, document, integer, text } from '../../result-schema.ts';

export default defineCommand({
  run: async ({ settings }) => {
    const removed = clear(settings.folders.cache);
    return { ...removed, changed: removed.files > 0 };
  },
  view:
    ({ folder, files, bytes, changed }) =>
    () =>
      changed ? `removed ${size(bytes)} in ${count(files, 'file')} from ${folder}` : `${folder} was empty`,
  effect: 'destroys',
  local: true,
  exits: ['failed'],
  json: document({
    folder: text('where the compressed files were'),
    files: integer('number of removed files'),
    bytes: integer('their total size'),
    changed: boolean('false if there was nothing to remove'),
  }),
  examples: ['cache clear'],
});

function clear(folder: string): CacheUsage {
  try {
    return clearPackingCache(folder);
  } catch (error) {
    throw toDiskErrorOf(`cannot remove ${folder}`, error);
  }
}
