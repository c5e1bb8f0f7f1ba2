import { count, countCell, sizeCell } from '../../../kernel/output/format.ts';
import { table } from '../../../kernel/output/table.ts';
import {
  diskUsage,
  entryUsageFields,
  formatRemotePath,
  parseVolumePath,
  singleLine,
} from '../../../storage/volumes/index.ts';
import { defineCommand } from '../../command.ts';
import { document, integer, longList, object, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) => command.argument('[path]', 'remote folder or file, as volume:/path or /path', '/'),
  run: async (context, path) => {
    const at = parseVolumePath(path, context.settings);
    const step = context.progress.step('Counting files');
    const { entries, total } = await diskUsage(context, at, (files) => step.update({ text: count(files, 'file') }));
    step.done(`Counted ${count(total.files, 'file')}`);
    return { path: formatRemotePath(at), files: total.files, bytes: total.bytes, entries };
  },
  view: ({ path, files, bytes, entries }) =>
    table(entries.concat([{ name: path, files, bytes }]), ['NAME', 'SIZE'], {
      SIZE: (entry) => sizeCell(entry.bytes),
      FILES: (entry) => countCell(entry.files),
      NAME: (entry) => singleLine(entry.name),
    }),
  effect: 'reads',
  json: document({
    path: text('remote path'),
    files: integer('number of files'),
    bytes: integer('total size in bytes'),
    entries: longList(object(entryUsageFields), 'name, files and bytes of each entry, largest first'),
  }),
  examples: ['volumes usage', 'volumes usage /models', 'volumes usage --region global --json=bytes'],
});
