import { defineCommand } from '../command.ts';
import { listPath, parseVolumePath, singleLine, toPathEntry } from '../operations/volumes/index.ts';
import { ago, size } from '../output/format.ts';
import { table } from '../output/table.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('[path]', 'remote folder or file, as volume:/path or /path', '/')
      .option('-l, --long', 'show sizes in bytes and full times')
      .option('-R, --recursive', 'list subfolders recursively'),
  run: async (context, path, { recursive = false }) => {
    const at = parseVolumePath(path, context.settings);
    return (await listPath(context, at, recursive)).map((entry) => toPathEntry(entry, at));
  },
  view: (entries, { long, recursive }) =>
    table(entries, {
      [recursive ? 'PATH' : 'NAME']: ({ path }) =>
        singleLine(recursive ? path.slice(path.indexOf(':') + 1) : lastName(path)),
      SIZE: ({ size_bytes, path }) => (path.endsWith('/') ? '-' : long ? size_bytes : size(size_bytes)),
      MODIFIED: ({ last_modified }) => (long ? last_modified : ago(last_modified)),
    }),
  empty: 'the folder is empty',
  passesThrough: true,
  json: {
    path: 'remote path; ends in a slash for a folder',
    name: 'name (platform value)',
    is_folder: 'true for a folder',
    size_bytes: 'size in bytes',
    last_modified: 'time of the last change (RFC 3339, UTC)',
  },
  examples: ['ls', 'ls -l /models', 'ls -R default:/models --json=path,size_bytes', 'ls --region global'],
});

/** `default:/a/b/` gives `b/`. */
function lastName(path: string): string {
  return path.slice(path.lastIndexOf('/', path.length - 2) + 1);
}
