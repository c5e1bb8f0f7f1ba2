import { removalFields, removePaths, singleLine } from '../../storage/volumes/index.ts';
import { defineCommand } from '../command.ts';
import { documents } from '../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<path...>', 'files, folders or patterns (* ? [a-z] **; \\* is a star): volume:/path or /path')
      .option('-r, --recursive', 'remove folders and their contents')
      .option('--confirm <paths>', 'with -r: confirm by passing the paths again'),
  run: (context, paths, { recursive = false, confirm }) => removePaths(context, paths, { recursive, confirm }),
  view: (removals) => removals.map(({ path }) => `removed ${singleLine(path)}`).join('\n'),
  effect: 'destroys',
  dryRun: true,
  json: documents(removalFields),
  examples: [
    'rm /models/old.bin',
    "rm '/logs/**/*.txt' --yes",
    'rm -r /models/old --confirm /models/old',
    "rm '/odd\\*name'",
  ],
});
