import { isDownload, parseCopyPaths } from '../../storage/copy/index.ts';
import { sync, syncSummaryFields } from '../../storage/sync/index.ts';
import { defineCommand } from '../command.ts';
import { addCopyFlags, toCopyOptions } from '../flags/copy.ts';
import { document } from '../result-schema.ts';
import { copyExit, syncView } from '../views/copy.ts';

export default defineCommand({
  configure: (command) =>
    addCopyFlags(
      command
        .argument('<source>', 'source folder; remote: volume:/path or :/path')
        .argument('<target>', 'target folder')
        .option('--delete', 'delete files that are only in the target')
        .option('--confirm <target>', 'confirm by passing the target again')
        .option('--detailed-exit-code', 'exit with 3 if something would change'),
    ),
  flagRules: { requires: { confirm: ['delete'], detailedExitCode: ['dryRun'] } },
  run: async (context, source, target, { delete: deletes = false, confirm, ...flags }) => {
    const paths = parseCopyPaths([source, target], context, { allowBareTarget: false });
    return sync(context, paths, { ...toCopyOptions(flags), delete: deletes, confirm });
  },
  exit: ({ changed, failed }, { detailedExitCode, dryRun }) =>
    dryRun && detailedExitCode && changed ? 'changes' : copyExit(failed),
  view: syncView,
  details: [
    'A file is unchanged if it has the same size and is not older in the target; only --verify compares contents. Excluded files are neither copied nor deleted.',
    'Names that are equal on the disk here, such as Readme.md and readme.md, are refused.',
  ],
  json: document(syncSummaryFields),
  effect: 'destroys',
  onlyReads: (source, target) => isDownload([source, target]),
  exits: ['changes'],
  examples: [
    'sync ./dataset :/dataset --dry-run',
    'sync ./dataset :/dataset',
    'sync ./site :/site --delete --confirm default:/site',
    'sync :/results ./results',
  ],
});
