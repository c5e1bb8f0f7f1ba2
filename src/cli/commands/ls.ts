import { ago, sizeCell } from '../../kernel/output/format.ts';
import { type Columns, table } from '../../kernel/output/table.ts';
import { listPath, type PathEntry, parseVolumePath, singleLine } from '../../storage/volumes/index.ts';
import { defineCommand } from '../command.ts';
import { boolean, documents, integer, passThrough, text } from '../result-schema.ts';

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
      [title]: ({ path }) => singleLine(recursive ? path.slice(path.indexOf(':') + 1) : lastName(path)),
      SIZE: ({ size_bytes, path }) => (path.endsWith('/') ? '' : long ? size_bytes : sizeCell(size_bytes)),
      MODIFIED: ({ last_modified }) => (long ? last_modified : ago(last_modified)),
    };
    return table(entries, columns, { keep: [title, 'SIZE'], right: ['SIZE'] });
  },
  empty: 'the folder is empty',
  effect: 'reads',
  json: documents(
    passThrough({
      path: text('where it is, as other commands take it; of a folder it ends in a slash'),
      name: text('its name, platform value, passed through'),
      is_folder: boolean('whether it is a folder'),
      size_bytes: integer('bytes'),
      last_modified: text('RFC 3339, UTC'),
    }),
  ),
  examples: ['ls', 'ls -l /models', 'ls -R default:/models --json=path,size_bytes', 'ls --region global'],
});

/** `default:/a/b/` gives `b/`. */
function lastName(path: string): string {
  return path.slice(path.lastIndexOf('/', path.length - 2) + 1);
}
