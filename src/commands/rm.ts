import { defineCommand } from '../command.ts';
import { removePaths, singleLine } from '../operations/volumes/index.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<path...>', 'files, folders or patterns (* ? [a-z] **) on a volume, as volume:/path or /path')
      .option('-r, --recursive', 'remove folders, with all that is in them')
      .option('--confirm <paths>', 'with -r: the paths once more, instead of typing them when asked'),
  run: (context, paths, { recursive = false, confirm }) => removePaths(context, paths, { recursive, confirm }),
  view: (removals) => () => removals.map(({ path }) => `removed ${singleLine(path)}`).join('\n'),
  json: {
    path: 'what was removed; of a folder it ends in a slash',
    isFolder: 'whether it was a folder',
    removed: 'true',
  },
  examples: [
    'rm /models/old.bin',
    "rm '/logs/**/*.txt' --yes",
    'rm -r /models/old --confirm /models/old',
    "rm '/odd\\*name'",
  ],
});
