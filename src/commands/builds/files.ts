import { defineCommand } from '../../command.ts';
import { getBuildZipContents } from '../../contract/builds.ts';
import { appArgument } from '../../flags/app.ts';
import { type BuildFile, parseZipContents, resolveBuild } from '../../operations/builds/index.ts';
import { sizeCell } from '../../output/format.ts';
import { table } from '../../output/table.ts';
import { anything, document, passThrough, text } from '../../result-schema.ts';
import { fileTreeView } from '../../views/file-tree.ts';

export default defineCommand({
  configure: (command) =>
    appArgument(command)
      .argument('[build]', 'build id (default: latest)')
      .option('--tree', 'show folders as a tree, each with its total size'),
  run: async ({ api, project, progress }, app, requested) => {
    const build = await resolveBuild({ api, project }, app, requested);
    const reply = await api(getBuildZipContents, { project, app, build });
    if (parseZipContents(reply.zipFiles).length === 0) progress.note(`no files in the archive of build ${build}`);
    return reply;
  },
  view: ({ zipFiles }, { tree }) =>
    tree
      ? fileTreeView(parseZipContents(zipFiles))
      : table(parseZipContents(zipFiles), columns, { keep: ['FILE'], right: ['SIZE'] }),
  effect: 'reads',
  json: document(passThrough({ id: text('build id'), zipFiles: anything('files; platform value, passed through') })),
  examples: ['builds files web', 'builds files web --tree', 'builds files web b-1234 --json'],
});

const columns = {
  FILE: (entry: BuildFile) => entry.path,
  SIZE: (entry: BuildFile) => sizeCell(entry.size),
  MORE: (entry: BuildFile) => entry.more,
};
