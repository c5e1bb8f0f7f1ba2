import { defineCommand } from '../command.ts';
import { diskUsage, parseVolumePath, printed, singleLine } from '../operations/volumes/index.ts';
import { groupDigits, size } from '../output/format.ts';
import { table } from '../output/table.ts';

export default defineCommand({
  configure: (command) => command.argument('[path]', 'a folder or file on a volume, as volume:/path or /path', '/'),
  run: async (context, path) => {
    const at = parseVolumePath(path, context.settings);
    const step = context.progress.step('Adding up');
    const { entries, total } = await diskUsage(context, at, (files) =>
      step.update({ text: `${groupDigits(files)} files` }),
    );
    step.done(`Added up ${groupDigits(total.files)} files`);
    return { path: printed(at), files: total.files, bytes: total.bytes, entries };
  },
  view: ({ path, files, bytes, entries }) =>
    table(
      [...entries, { name: path, files, bytes }],
      {
        SIZE: (entry) => size(entry.bytes),
        FILES:
          (entry) =>
          ({ terminal }) =>
            terminal ? groupDigits(entry.files) : String(entry.files),
        NAME: (entry) => singleLine(entry.name),
      },
      { keep: ['NAME', 'SIZE'], right: ['SIZE', 'FILES'] },
    ),
  json: {
    path: 'what was added up',
    files: 'how many files',
    bytes: 'how many bytes',
    entries: 'name, files and bytes of each entry, the largest first',
  },
  examples: ['du', 'du /models', 'du --region global --json=bytes'],
});
