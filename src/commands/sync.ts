import { defineCommand } from '../command.ts';
import { addCopyFlags, copySummaryFields, toCopyOptions } from '../flags/copy.ts';
import { parseCopyPaths } from '../operations/copy/index.ts';
import { type SyncSummary, sync } from '../operations/sync/index.ts';
import { copyExit, syncView } from '../views/copy.ts';

export default defineCommand({
  configure: (command) =>
    addCopyFlags(
      command
        .argument('<source>', 'a folder; on a volume: volume:/path or :/path')
        .argument('<target>', 'the folder that is made equal to it')
        .option('--delete', 'delete what is only in the target')
        .option('--confirm <target>', 'with --delete: the target once more, instead of typing it when asked')
        .option('--detailed-exit-code', 'with --dry-run: exit 3 when something would change'),
    ),
  run: (context, source, target, { delete: deletes = false, confirm, ...flags }) =>
    sync(context, parseCopyPaths([source, target], context), { ...toCopyOptions(flags), delete: deletes, confirm }),
  exit: (summary, { detailedExitCode, delete: deletes, dryRun }) =>
    dryRun && detailedExitCode && wouldChange(summary, deletes === true) ? 'changes' : copyExit(summary),
  view: (summary) => syncView(summary),
  details: [
    'A file is unchanged if it has the same size and is not older in the target; contents are not compared. Excluded files are neither copied nor deleted.',
    'If names of files are the same to the disk of a local target, for example Readme.md and readme.md, nothing is written and the command exits with 7; --rename-clashes saves the second one as readme-2.md.',
  ],
  json: {
    ...copySummaryFields,
    new: 'files that were only in the source',
    changed: 'files that differed in size, or were older in the target',
    same: 'files that passed for the same',
    extra: 'files that were only in the target',
    deleted: 'files that were deleted',
  },
  examples: [
    'sync ./dataset :/dataset --dry-run',
    'sync ./dataset :/dataset',
    'sync ./site :/site --delete --confirm default:/site',
    'sync :/results ./results',
  ],
});

function wouldChange({ new: added, changed, extra }: SyncSummary, deletes: boolean): boolean {
  return added + changed + (deletes ? extra : 0) > 0;
}
