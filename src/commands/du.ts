import { defineCommand } from '../command.ts';
import { diskUsage, formatRemotePath, parseVolumePath, singleLine } from '../operations/volumes/index.ts';
import { groupDigits, size } from '../output/format.ts';
import { table } from '../output/table.ts';

export default defineCommand({
  configure: (command) => command.argument('[path]', 'remote folder or file, as volume:/path or /path', '/'),
  run: async (context, path) => {
    const at = parseVolumePath(path, context.settings);
    const step = context.progress.step('Counting files');
    const { entries, total } = await diskUsage(context, at, (files) =>
      step.update({ text: `${groupDigits(files)} files` }),
    );
    step.done(`Counted ${groupDigits(total.files)} files`);
    return { path: formatRemotePath(at), files: total.files, bytes: total.bytes, entries };
  },
  view: ({ path, files, bytes, entries }) =>
    table([...entries, { name: path, files, bytes }], {
      SIZE: (entry) => size(entry.bytes),
      FILES: (entry) => groupDigits(entry.files),
      NAME: (entry) => singleLine(entry.name),
    }),
  json: {
    path: 'remote path',
    files: 'number of files',
    bytes: 'total size in bytes',
    entries: 'name, files and bytes of each entry, largest first',
  },
  examples: ['du', 'du /models', 'du --region global --json=bytes'],
});
