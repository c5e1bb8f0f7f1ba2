import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { count } from '../../output/format.ts';
import { deleteAppAndWait } from '../apps/index.ts';
import { listPreviews, type Preview } from './list-previews.ts';
import { removePreviewRecord } from './preview-record.ts';

export interface PruneFilter {
  /** Time since the last deploy, in ms. */
  olderThan?: number | undefined;
  merged: boolean;
  /** The name of the repository, typed. */
  confirm?: string | undefined;
}

/** Deletes previews of this repository, after its name was typed. Apps that may belong to others stay. */
export async function prunePreviews(
  context: Context,
  filter: PruneFilter,
): Promise<(Preview & { changed: boolean })[]> {
  const { prompt, willChange, progress } = context;
  const { repository, previews } = await listPreviews(context);
  if (repository.id === '') {
    throw new UsageError(`${context.cwd} is not in a git repository`, {
      why: 'without one, nothing shows which previews are no longer needed',
      fix: gantryCommand`previews list`,
    });
  }
  const unproven = previews.filter(({ proof }) => proof === null);
  if (unproven.length > 0) {
    progress.note(
      `${count(unproven.length, 'app')} may be previews of others, and ${unproven.length === 1 ? 'stays' : 'stay'}: ${names(unproven)}`,
    );
  }
  const chosen = previews.filter((preview) => isChosen(preview, filter, context.now()));
  if (chosen.length === 0) return [];
  const what = `${count(chosen.length, 'preview')} of this repository: ${names(chosen)}`;
  await prompt.confirmByName(`This permanently deletes ${what}.`, repository.name, filter.confirm);
  const result = chosen.map((preview) => ({ ...preview, changed: true }));
  willChange(
    chosen.map(({ app }) => `delete app ${app}`),
    result,
  );
  // The question may have waited for long: what was deployed again since is in use.
  const now = new Map((await listPreviews(context)).previews.map((preview) => [preview.app, preview]));
  for (const pruned of result) {
    const { app, updatedAt } = pruned;
    pruned.changed = now.get(app)?.updatedAt === updatedAt;
    if (!pruned.changed) {
      progress.note(`${app} was deployed or deleted meanwhile: skipped`);
      continue;
    }
    await deleteAppAndWait(context, app, { wasShown: false });
    await removePreviewRecord(context, app);
  }
  return result;
}

function isChosen(
  { proof, merged, updatedAt, createdAt }: Preview,
  { olderThan, merged: onlyMerged }: PruneFilter,
  now: number,
) {
  const deployedAt = Date.parse(updatedAt ?? createdAt ?? '');
  const isOld = olderThan === undefined || deployedAt <= now - olderThan;
  return proof !== null && isOld && (!onlyMerged || merged === true);
}

function names(previews: readonly Preview[]): string {
  return previews.map(({ app }) => app).join(', ');
}
