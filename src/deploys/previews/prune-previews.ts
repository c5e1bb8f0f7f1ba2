import { gantryCommand, type Sentence, sentence } from '../../kernel/command-line.ts';
import { FailedError, UsageError } from '../../kernel/errors.ts';
import { count, shortBuild, toMs } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { isCanceled } from '../../platform/contract/builds.ts';
import { deleteAppAndWait } from '../apps.ts';
import { findMerged, previewedBranch, type Repository, readRefs } from '../git/index.ts';
import { readHistory } from '../history/index.ts';
import { type AppReading, observe } from '../observe.ts';
import { inProgress } from '../send/index.ts';
import { type BuildFact, order } from '../serving.ts';
import { teamStateOf } from '../team-state/index.ts';
import { committedFrom, forgetPreview, listPreviews, type Preview } from './preview-record.ts';

interface PruneFilter {
  /** Time since the last deploy, in ms. */
  olderThan?: number | undefined;
  merged: boolean;
  expired: boolean;
  /** The branch, which may be gone. */
  branch?: string | undefined;
  /** The name of the repository, typed. */
  confirm?: string | undefined;
}

/** Deletes previews of this repository, after its name was typed. Apps that may belong to others stay. */
export async function prunePreviews(
  context: Context,
  typed: PruneFilter,
): Promise<(Preview & { changed: boolean; confirm: string })[]> {
  const { prompt, willChange, progress } = context;
  const branch = typed.branch && (await previewedBranch(context, typed.branch));
  if (branch !== typed.branch)
    progress.note(`${typed.branch} is the branch of a fork, whose preview is called ${branch}`);
  const filter = { ...typed, branch };
  const { repository, previews } = await listKnown(context, filter);
  if (repository.id === '') {
    throw new UsageError(`${context.cwd} is not in a git repository`, {
      why: 'the branches of a repository show which previews are no longer needed',
      fix: gantryCommand`apps list --previews`,
    });
  }
  const chosen = await choose(context, previews, filter);
  if (chosen.length === 0) return [];
  const confirm = repository.name;
  const what = `${count(chosen.length, 'preview')} of the repository ${confirm}: ${names(chosen)}`;
  await prompt.confirmByName(`This permanently deletes ${what}.`, confirm, filter.confirm);
  const result = chosen.map((preview) => ({ ...preview, changed: true, confirm }));
  const changes = chosen.map(({ app }) => `delete app ${app}`);
  willChange(changes, result);
  for (const pruned of result) pruned.changed = await prune(context, pruned, filter, repository);
  return result;
}

async function choose(context: Context, previews: readonly Preview[], filter: PruneFilter): Promise<Preview[]> {
  noteKept(context, previews, filter);
  const chosen: Preview[] = [];
  for (const preview of previews.filter((each) => isChosen(context, each, filter)))
    if (!(await stays(context, preview, filter))) chosen.push(preview);
  return chosen;
}

/** Deletes one, unless something has changed since it was chosen. Returns whether it did. */
async function prune(context: Context, preview: Preview, filter: PruneFilter, repository: Repository) {
  const { progress } = context;
  const { app, updatedAt } = preview;
  if (await stays(context, preview, filter)) return false;
  // The question may have waited for long: another machine may have deployed it again since, or given it more time.
  teamStateOf(context)?.lookAgain();
  const current = (await listKnown(context, filter, repository)).previews.find((each) => each.app === app);
  if (current?.updatedAt !== updatedAt || !isChosen(context, current, filter)) {
    progress.note(`${app} was deployed, renewed or deleted meanwhile: skipped`);
    return false;
  }
  await deleteAppAndWait(context, app, { wasShown: false });
  await forgetPreview(context, app);
  return true;
}

async function stays(context: Context, { app }: Preview, filter: PruneFilter): Promise<boolean> {
  const why = whyItStays(await readPreviewFacts(context, app, filter.merged), filter.expired || filter.merged);
  requireTeamState(context, filter);
  if (why !== undefined) context.progress.note(`skipped ${app}: ${why}`);
  return why !== undefined;
}

async function listKnown(context: Context, filter: PruneFilter, repository?: Repository) {
  const listed = await listPreviews(context, { branch: filter.branch, repository });
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

function isChosen(
  context: Context,
  { proof, branch, merged, updatedAt, createdAt, expiresAt }: Preview,
  filter: PruneFilter,
): boolean {
  // A clock that is ahead must not delete what is still needed.
  const now = Math.min(context.now(), context.platformNow());
  const deployedAt = toMs(updatedAt ?? createdAt);
  const isOld = filter.olderThan === undefined || deployedAt <= now - filter.olderThan;
  const isExpired = !filter.expired || (expiresAt !== null && Date.parse(expiresAt) <= now);
  const isOfBranch = filter.branch === undefined || branch === filter.branch;
  return proof !== null && isOld && isExpired && isOfBranch && (!filter.merged || merged === true);
}

/** Names the previews that a flag cannot choose, and why. */
function noteKept(context: Context, previews: readonly Preview[], filter: PruneFilter): void {
  const { expired, merged } = filter;
  const where = teamStateOf(context) ? '' : ' on this machine';
  const endless = sentence`no --ttl is known${where}; ${gantryCommand`apps prune --older-than 7d`} deletes those not deployed for 7 days`;
  const open = sentence`no own commits are known to be merged; ${gantryCommand`apps prune --branch NAME`} deletes one all the same`;
  const flags: [boolean, (preview: Preview) => boolean, Sentence][] = [
    [expired, ({ expiresAt }) => expiresAt === null, endless],
    [merged, (preview) => preview.merged !== true, open],
  ];
  // Others are ruled out by their branch or their age.
  const asked = previews.filter((preview) => isChosen(context, preview, { ...filter, expired: false, merged: false }));
  for (const [isGiven, isKept, why] of flags) {
    const kept = asked.filter((preview) => isGiven && isKept(preview));
    if (kept.length > 0) context.progress.note(sentence`skipped ${names(kept)}: ${why}`);
  }
}

function names(previews: readonly Preview[]): string {
  return previews.map(({ app }) => app).join(', ');
}

export type PreviewFacts = Awaited<ReturnType<typeof readPreviewFacts>>;

/** Why a preview stays. The later half is for flags that go by its time to live or its files, as they are on record. */
const rows: readonly [isByRecord: boolean, (facts: PreviewFacts) => string | false | undefined][] = [
  [false, ({ app }) => !app && 'it was deleted meanwhile'],
  [false, ({ builds }) => !builds && 'its builds cannot be listed'],
  [false, ({ list }) => list.some(({ status }) => status === '') && 'the status of its builds is not known'],
  [false, (facts) => about(inProgress(facts)[0]?.id, 'is in progress')],
  [true, ({ list, lastSent }) => !list.some(({ id }) => id === lastSent) && 'its last deploy is not on record'],
  [true, (facts) => about(otherThanSent(facts)?.id, 'is not on record: another machine has deployed it')],
  [true, ({ serving }) => serving.is === 'not known' && 'which build it serves is not known'],
  [true, (facts) => about(liveBesides(facts, facts.sent), 'may serve, and is not on record')],
  [
    true,
    (facts) => facts.main && about(liveBesides(facts, facts.committed), `has files that ${facts.main} does not have`),
  ],
];

/** The first row that fits; undefined if none does. */
export function whyItStays(facts: PreviewFacts, byRecord: boolean): string | undefined {
  return rows.flatMap(([isByRecord, why]) => (byRecord || !isByRecord ? why(facts) || [] : []))[0];
}

const about = (build: string | undefined, what: string) => build && `build ${shortBuild(build)} ${what}`;

function live({ serving, shows }: Pick<AppReading, 'serving' | 'shows'>): readonly string[] {
  const builds = shows === null ? [] : [shows];
  return serving.is === 'one of' ? [...builds, ...serving.builds] : serving.is === 'one' ? [serving.build] : builds;
}

function liveBesides(facts: PreviewFacts, builds: ReadonlySet<string>): string | undefined {
  return live(facts).find((id) => !builds.has(id));
}

/** Not earlier than the last one on record, as far as their times tell. */
function otherThanSent({ builds, sent, lastSent }: PreviewFacts): BuildFact | undefined {
  const last = builds?.find(({ id }) => id === lastSent);
  const isEarlier = ({ created }: BuildFact) => last !== undefined && order(created, last.created) === 'before';
  return builds?.find((build) => !isCanceled(build.status) && !sent.has(build.id) && !isEarlier(build));
}

/** `sent`: by a deploy on record. `main`: the default branch, if files count. `committed`: that has all files of these. */
async function readPreviewFacts(context: Context, name: string, byFiles: boolean) {
  const reading = await observe(context, name);
  const history = await readHistory(context, name);
  const main = byFiles ? (await readRefs(context)).defaultBranch : undefined;
  const sources = live(reading).map((id) => ({ id, commit: committedFrom(history.sent(id)) }));
  const commits = sources.flatMap(({ commit }) => commit ?? []);
  const merged = main && (await findMerged(context, commits, main.ref));
  const committed = new Set(sources.flatMap(({ id, commit }) => (commit && merged?.has(commit) ? id : [])));
  const sent = new Set(reading.list.flatMap(({ id }) => (history.sent(id) ? id : [])));
  return { ...reading, sent, lastSent: history.last('sent')?.build, main: main?.name, committed };
}
