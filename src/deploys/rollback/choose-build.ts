import { type Fix, gantryCommand } from '../../kernel/command-line.ts';
import { ConflictError, NotFoundError } from '../../kernel/errors.ts';
import { count, shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import type { AppCreation } from '../../platform/contract/apps.ts';
import { type Build, buildPhase, listBuilds } from '../../platform/contract/builds.ts';
import { whyNotUsable } from '../archives/index.ts';
import { fetchBuild, resolveBuild } from '../builds/index.ts';
import { firstTrue } from '../decide.ts';
import type { AppHistory, BuildCommit, EventOf } from '../history/index.ts';
import { buildsText, type Settled } from '../observe.ts';
import { scalingOf } from '../send/index.ts';
import { pastOf, type ServedBuild, servedBefore } from '../serving.ts';
import { teamStateOf } from '../team-state/index.ts';

export interface RollbackOptions {
  /** The build to return to, as the user named it. */
  build?: string | undefined;
  fromGit?: string | undefined;
  configFile: string;
  /** Scale as the earlier build was deployed, instead of as the app is scaled now. */
  restoreScaling?: boolean | undefined;
  /** Go on although the files cannot be proven to be those of the build. */
  force?: boolean;
  logs: boolean;
  typedMs: number | undefined;
  /** The build that was found sick and serves: without a question. */
  sick?: { build: string; reason: string } | undefined;
}

/** The build to deploy again. */
export interface Chosen {
  target: Build;
  /** The rollback that has made it while it serves and was not seen to its end, if there is nothing else to do. */
  done?: EventOf<'rolling-back'> | undefined;
  /** What to type if there is no archive of the target. */
  without: Fix;
}

/** Chooses by what is on record and what the platform lists. */
export async function chooseBuild(
  context: Context,
  name: string,
  reading: Settled,
  options: RollbackOptions,
): Promise<Chosen> {
  const { api, project } = context;
  const { live, history } = reading;
  const { wanted, done } = await findWanted(context, name, reading, options);
  const chosen = (target: Build) => {
    return { done, target, without: gantryCommand`rollback ${name} ${target.id} --from-git REV` };
  };
  if (wanted !== undefined) {
    // What was only rolled back may be well.
    const sick = !done && history.sickness(wanted) && sicknessOf(name, history, wanted);
    if (sick) context.progress.warn({ severity: 'warning', ...sick });
    return chosen(await (wanted === live ? buildOf : readyBuildOf)(context, name, wanted, reading));
  }
  const builds = reading.builds ? reading.list : await api(listBuilds, { project, app: name });
  const before = candidatesOf({ builds, history, live }, servedBefore(pastOf(builds, history), live));
  const last = lastWell(before);
  const target = builds.find(({ id }) => id === last.build);
  if (!target) throw nothingBeforeError(name, { history, live }, last.unseen);
  tellPassed(context, before, target.id);
  return chosen(target);
}

/** The build that serves, to be deployed again. `without`: what to type if there is no archive of it. */
export async function chooseServing(
  context: Context,
  name: string,
  reading: Settled,
  without: (commit: BuildCommit) => Fix,
): Promise<Chosen> {
  const { live, history } = reading;
  if (live === undefined) {
    throw new NotFoundError(`no build of ${name} is known to serve`, { fix: gantryCommand`builds list ${name}` });
  }
  return { target: await readyBuildOf(context, name, live, reading), without: without(history.commitOf(live)) };
}

async function buildOf({ api, project }: Context, app: string, build: string, { list }: Settled): Promise<Build> {
  return list.find(({ id }) => id === build) ?? fetchBuild(api, { project, app, build });
}

async function readyBuildOf(context: Context, app: string, build: string, reading: Settled): Promise<Build> {
  const listed = await buildOf(context, app, build, reading);
  if (buildPhase(listed.status) !== 'succeeded') throw notReadyError(app, listed);
  return listed;
}

/** That a build was found sick, or another one of the same files, and why; undefined if it was not. */
export function sicknessOf(app: string, history: AppHistory, id: string): { message: string; why: string } | undefined {
  if (!history.isSick(id)) return undefined;
  const { reason = 'it was rolled back', build = id } = history.sickness(id) ?? {};
  const same = build === id ? '' : ` has the same files as build ${shortBuild(build)}, which`;
  return { message: `build ${shortBuild(id)} of ${app}${same} was found sick`, why: reason };
}

/** Which builds served later than the target and are not returned to, and why not. */
function tellPassed({ progress }: Context, before: readonly ReturnCandidate[], target: string): void {
  const end = before.findIndex(({ id }) => id === target);
  const passed = before.slice(0, end).filter(({ why }) => why !== undefined);
  for (const why of new Set(passed.map((candidate) => candidate.why))) {
    const skipped = passed.filter((candidate) => candidate.why === why).length;
    progress.note(`skipped ${count(skipped, 'build')}: ${why}`);
  }
}

/**
 * The build that is named, or that a rollback has made which was not seen to its end: that one is typed again by the same
 * command, and goes no further back.
 */
async function findWanted(
  context: Context,
  name: string,
  { app, history, live }: Settled,
  { build: word, fromGit, restoreScaling }: RollbackOptions,
): Promise<{ wanted: string | undefined; done?: EventOf<'rolling-back'> }> {
  const typed = word === undefined ? undefined : await resolveBuild(context, name, word);
  const open = history.openRollback(live);
  const isSame = open && !history.isSick(open.as, open.at) && history.areOfSame(typed ?? open.to, open.to);
  if (!isSame) return { wanted: typed };
  const isLeft = restoreScaling && Object.keys(changedScaling(history, open.to, app)).length > 0;
  const isOther = fromGit !== undefined && fromGit !== open.fromGit;
  return isLeft || isOther ? { wanted: typed ?? open.to } : { wanted: open.as, done: open };
}

/** How the app stays scaled. */
export function keptScaling(
  { app, history }: Settled,
  { target: { id } }: Chosen,
  { restoreScaling, sick }: Pick<RollbackOptions, 'restoreScaling' | 'sick'>,
) {
  if (restoreScaling) return scalingOf(history.firstSettingsOf(id));
  return changedScaling(history, id, (sick && history.settingsOf(id)) ?? app);
}

/** The scaling that is not what the platform made of the own settings of a build. */
export function changedScaling(history: AppHistory, build: string, scaled: Record<string, unknown>) {
  const made = history.firstSettingsOf(build);
  const kept = Object.entries(scalingOf(scaled)).filter(([field, value]) => value !== made[field]);
  return Object.fromEntries(kept) as Partial<AppCreation>;
}

/** What decides whether a rollback from the live build returns to these. */
export function candidatesOf(
  { builds, history, live }: Pick<Settled, 'history' | 'live'> & { builds: readonly Build[] },
  served: readonly ServedBuild[],
) {
  const ready = new Set(builds.filter(({ status }) => buildPhase(status) === 'succeeded').map(({ id }) => id));
  return served.map(({ id, isSeen }) => {
    const isSame = live !== undefined && history.areOfSame(id, live);
    const why = firstTrue([
      [isSame, 'the same files as those of the live build'],
      [history.isSick(id), 'rolled back or found sick'],
      [!ready.has(id), 'it did not succeed, or is gone'],
    ]);
    return { id, isSeen, why };
  });
}

function notReadyError(app: string, { id, status }: Build): ConflictError {
  const fix = gantryCommand`builds list ${app}`;
  return new ConflictError(`build ${shortBuild(id)} of ${app} did not succeed: its status is ${status}`, { fix });
}

/** `unseen`: those that nobody saw serve, and that may have. None of them is guessed to be the one, or passed over. */
function nothingBeforeError(app: string, { history, live }: Pick<Settled, 'history' | 'live'>, unseen: string[]) {
  const before = live ? ` before ${shortBuild(live)}` : '';
  const served = servedBefore(pastOf([], history)).map(({ id }) => id);
  const sick = served.filter((each) => !history.areOfSame(each, live ?? '') && history.isSick(each));
  const details = { app, build: live ?? null, sick };
  if (unseen.length > 0) {
    const why = `${firstBuilds(unseen)} may have: it is listed, and nobody here saw it serve`;
    const fix = gantryCommand`rollback ${app} BUILD`;
    return new NothingBeforeError(`which build of ${app} served${before} is not known`, { why, fix, details });
  }
  const because = sick.length > 0 ? { why: `rolled back or found sick: ${firstBuilds(sick)}` } : {};
  const fix = gantryCommand`builds list ${app}`;
  const message = `${app} has no build${before} that served, is well and has other files`;
  return new NothingBeforeError(message, { ...because, fix, details });
}

const firstBuilds = (builds: readonly string[]) => buildsText(builds.slice(0, 3));

export async function noArchiveError(context: Context, app: string, build: string, fix: Fix) {
  const why = (await whyNotUsable(context, app, build)) ?? 'its archive is damaged, or was changed after the deploy';
  const message = `build ${shortBuild(build)} of ${app} cannot be deployed again from here: there is no archive of it`;
  return new NotFoundError(message, { why, fix, details: { app, build } });
}

/** Says early if there would be nothing to roll back to. */
export async function warnUnlessKept(context: Context, app: string, live: string | null): Promise<void> {
  const why = live === null ? undefined : await whyNotUsable(context, app, live);
  if (live === null || why === undefined) return;
  context.progress.warn({
    severity: 'warning',
    message: `--or-rollback cannot return to build ${shortBuild(live)} of ${app}`,
    why: `there is no archive of it to deploy: ${why}`,
    ...(teamStateOf(context) === undefined && { fix: gantryCommand`config set team-state default:/.gantry` }),
  });
}

/** No build is known to have served before, to be well, and to have other files. */
export class NothingBeforeError extends NotFoundError {}

/** A build that served before, and why it is not fit to be returned to. */
type ReturnCandidate = ReturnType<typeof candidatesOf>[number];

/** The last one that fits of those that served before, the latest first, unless one that nobody saw may have served later. */
export function lastWell(before: readonly ReturnCandidate[]) {
  const fits = before.filter(({ why }) => why === undefined);
  const last = fits.findIndex(({ isSeen }) => isSeen);
  const unseen = fits.slice(0, last < 0 ? fits.length : last).map(({ id }) => id);
  return { build: unseen.length > 0 ? undefined : fits[last]?.id, unseen };
}
