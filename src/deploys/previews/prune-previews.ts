import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { FailedError, NotFoundError, UsageError } from '../../kernel/errors.ts';
import { count } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { deleteAppAndWait } from '../apps.ts';
import { previewedBranch } from '../git/index.ts';
import { teamStateOf } from '../team-state/index.ts';
import { listPreviews, type Preview } from './list-previews.ts';
import { removePreviewRecord } from './preview-record.ts';
import { readPreviewFacts, whyItStays } from './why-it-stays.ts';

export interface PruneFilter {
  /** An app, a branch, or a part of them. */
  named?: string | undefined;
  /** Time since the last deploy, in ms. */
  olderThan?: number | undefined;
  merged: boolean;
  /** Its time to live is over. */
  expired: boolean;
  /** Of this branch, which may be gone. */
  branch?: string | undefined;
  /** The name of the repository, or of the named preview, typed. */
  confirm?: string | undefined;
}

/** Deletes previews of this repository, after its name was typed. Apps that may belong to others stay. */
export async function prunePreviews(context: Context, typed: PruneFilter): Promise<(Preview & { changed: boolean })[]> {
  const { prompt, willChange, progress } = context;
  const branch = typed.branch && (await previewedBranch(context, typed.branch));
  if (branch !== typed.branch)
    progress.note(`${typed.branch} is the branch of a fork, whose preview is called ${branch}`);
  const filter = { ...typed, branch };
  const { repository, previews } = await listKnown(context, filter);
  const one = filter.named === undefined ? undefined : findNamed(previews, filter.named);
  if (repository.id === '' && !one) {
    throw new UsageError(`${context.cwd} is not in a git repository`, {
      why: 'the branches of a repository show which previews are no longer needed',
      fix: gantryCommand`apps list --previews`,
    });
  }
  const unproven = previews.filter(({ proof }) => proof === null);
  if (unproven.length > 0 && !one) {
    const stay = `${unproven.length === 1 ? 'stays' : 'stay'}: ${names(unproven)}`;
    progress.note(`${count(unproven.length, 'app')} may be previews of others, and ${stay}`);
  }
  const wanted = one ? [one] : previews;
  if (filter.expired) noteEndless(context, wanted);
  const chosen: Preview[] = [];
  for (const preview of wanted.filter((each) => isChosen(context, each, filter))) {
    if (!(await stays(context, preview, filter))) chosen.push(preview);
  }
  if (chosen.length === 0) return [];
  const what = one ? `preview ${one.app}` : `${count(chosen.length, 'preview')} of this repository: ${names(chosen)}`;
  await prompt.confirmByName(`This permanently deletes ${what}.`, one?.app ?? repository.name, filter.confirm);
  const result = chosen.map((preview) => ({ ...preview, changed: true }));
  const changes = chosen.map(({ app }) => `delete app ${app}`);
  willChange(changes, result);
  for (const pruned of result) {
    const { app, createdAt, updatedAt } = pruned;
    pruned.changed = !(await stays(context, pruned, filter));
    if (!pruned.changed) continue;
    // The question may have waited for long: another machine may have deployed it again since, or given it more time.
    teamStateOf(context)?.lookAgain();
    const shown = (await listKnown(context, filter)).previews.find((preview) => preview.app === app);
    pruned.changed = shown?.updatedAt === updatedAt && isChosen(context, shown, filter);
    if (!pruned.changed) {
      progress.note(`${app} was deployed, renewed or deleted meanwhile: skipped`);
      continue;
    }
    const isReplaced = (await deleteAppAndWait(context, app, { wasShown: false, createdAt })) === 'replaced';
    // What is on record by now is of the other one.
    if (isReplaced) progress.note(`${app} was made anew meanwhile: that one stays`);
    else await removePreviewRecord(context, app);
  }
  return result;
}

async function stays(context: Context, { app }: Preview, filter: PruneFilter): Promise<boolean> {
  const why = whyItStays(await readPreviewFacts(context, app, filter.merged), filter.expired || filter.merged);
  requireTeamState(context, filter);
  if (why !== undefined) context.progress.note(`skipped ${app}: ${why}`);
  return why !== undefined;
}

async function listKnown(context: Context, filter: PruneFilter): ReturnType<typeof listPreviews> {
  const listed = await listPreviews(context, filter);
  requireTeamState(context, filter);
  return listed;
}

/** What other machines have deployed may have a longer time to live, or files that are nowhere else. */
function requireTeamState(context: Context, { expired, merged }: PruneFilter): void {
  const team = teamStateOf(context);
  if (!team?.hasFailed || !(expired || merged)) return;
  throw new FailedError('not known which previews are still needed', {
    why: `the team state at ${team.place}, which has what others have deployed, cannot be read`,
    fix: gantryCommand`ls ${team.place}`,
  });
}

/**
 * The preview of an app, a branch, or a part of either that only one has. Throws NotFoundError, and UsageError for several
 * or for one of another repository.
 */
function findNamed(previews: readonly Preview[], named: string): Preview {
  const namesOf = ({ app, branch }: Preview) => [app, branch ?? app];
  const exact = previews.filter((preview) => namesOf(preview).includes(named));
  const parts = previews.filter((preview) => namesOf(preview).some((name) => name.includes(named)));
  const found = exact.length > 0 ? exact : parts;
  const [one] = found;
  if (!one) throw new NotFoundError(`preview ${named} not found`, { fix: gantryCommand`apps list --previews` });
  if (found.length > 1) {
    const fix = gantryCommand`apps prune ${one.app}`;
    throw new UsageError(`${named} names ${count(found.length, 'preview')}`, { why: names(found), fix });
  }
  if (one.proof !== null) return one;
  const fix = gantryCommand`apps delete ${one.app}`;
  throw new UsageError(`nothing shows that ${one.app} is a preview of this repository`, { fix });
}

function isChosen(
  context: Context,
  { proof, branch, merged, updatedAt, createdAt, expiresAt }: Preview,
  filter: PruneFilter,
): boolean {
  // A clock that is ahead must not delete what is still needed.
  const now = Math.min(context.now(), context.platformNow());
  const deployedAt = Date.parse(updatedAt ?? createdAt ?? '');
  const isOld = filter.olderThan === undefined || deployedAt <= now - filter.olderThan;
  const isExpired = !filter.expired || (expiresAt !== null && Date.parse(expiresAt) <= now);
  const isOfBranch = filter.branch === undefined || branch === filter.branch;
  return proof !== null && isOld && isExpired && isOfBranch && (!filter.merged || merged === true);
}

/** Of these nothing tells when they expire. */
function noteEndless(context: Context, previews: readonly Preview[]): void {
  const endless = previews.filter(({ proof, expiresAt }) => proof !== null && expiresAt === null);
  if (endless.length === 0) return;
  const known = teamStateOf(context) ? '' : ' on this machine';
  context.progress.note(
    sentence`skipped ${names(endless)}: no --ttl is known${known}; ${gantryCommand`apps prune --older-than 7d`} deletes those not deployed for 7 days`,
  );
}

function names(previews: readonly Preview[]): string {
  return previews.map(({ app }) => app).join(', ');
}
