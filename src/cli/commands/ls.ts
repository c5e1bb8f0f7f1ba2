import { ago, sizeCell } from '../../kernel/output/format.ts';
import { type Columns, table } from '../../kernel/output/table.ts';
import { listPath, type PathEntry, parseVolumePath, pathEntryFields, singleLine } from '../../storage/volumes/index.ts';
import { defineCommand } from '../command.ts';
import { documents } from '../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('[path]', 'remote folder or file, as volume:/path or /path', '/')
      .option('-l, --long', 'show sizes in bytes and full times')
      .option('-R, --recursive', 'list subfolders recursively'),
  run: (context, path, { recursive = false }) => listPath(context, parseVolumePath(path, context.settings), recursive),
  view: (entries: Iterable<PathEntry>, { long, recursive }) => {
    const title = recursive ? 'PATH' : 'NAME';
    const columns: Columns<PathEntry> = {
      [title]: ({ path, name }) => singleLine(recursive ? path.slice(path.indexOf(':') + 1) : name),
      SIZE: ({ bytes }) => (long ? bytes : sizeCell(bytes)),
      MODIFIED: ({ updatedAt }) => (long ? updatedAt : ago(updatedAt)),
    };
    return table(entries, [title, 'SIZE'], columns);
  },
  empty: 'the folder is empty',
  effect: 'reads',
  json: documents(pathEntryFields),
  examples: ['ls', 'ls -l /models', 'ls -R default:/models --json=path,bytes', 'ls --region global'],
});
