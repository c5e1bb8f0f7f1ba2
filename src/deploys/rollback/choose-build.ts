import { type Fix, gantryCommand } from '../../kernel/command-line.ts';
import { ConflictError, NotFoundError } from '../../kernel/errors.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { type App, type AppCreation, liveBuild } from '../../platform/contract/apps.ts';
import { type Build, buildPhase, listBuilds } from '../../platform/contract/builds.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { findKeptBuilds, whyNotUsable } from '../archives/index.ts';
import { fetchBuild, resolveBuild } from '../builds/index.ts';
import { firstTrue } from '../decide.ts';
import { type AppHistory, type EventOf, recordLook } from '../history/index.ts';
import { type AppReading, buildsText } from '../observe.ts';
import { scalingOf } from '../send/index.ts';
import { pastOf, type ServedBuild, servedBefore, servingBuild } from '../serving.ts';
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
  /** Deploys what serves, to another app with `onto`. `without`: what to type if there is no archive of it. */
  again?: { what: 'restart' | 'promotion'; onto?: string; without: Fix } | undefined;
}

/** The build to return to, and the one that it replaces. */
export interface Chosen extends Pick<RollbackOptions, 'again'> {
  app: App;
  history: AppHistory;
  live: string | undefined;
  target: Build;
  chosenBy: (typeof choices)[number];
  /** The target serves: there is nothing to do. */
  isLive: boolean;
  /** The rollback that has made the live build and was not seen to its end, if there is nothing else to do. */
  done: EventOf<'rolling-back'> | undefined;
  /** Those that could be returned to as well, the latest first. */
  others: readonly string[];
}

/** What the build to return to is known by. That another one was created later says nothing of how it was. */
export const choices = ['name', 'history', 'order'] as const;

/** Chooses by what is on record and what the platform lists. */
export async function chooseBuild(
  context: Context,
  name: string,
  seen: AppReading,
  options: RollbackOptions,
): Promise<Chosen> {
  const { api, project } = context;
  const { sick, again } = options;
  const app = seen.app ?? (await fetchApp(api, { project, app: name }));
  const live = sick?.build ?? servingBuild(seen.serving) ?? liveBuild(app);
  const history = await recordLook(context, name, app, seen.list);
  const { wanted, done } = await findWanted(context, name, { app, history, live }, options);
  const fetched = async (build: string) => fetchBuild(api, { project, app: name, build });
  const named = wanted && (seen.list.find(({ id }) => id === wanted) ?? (await fetched(wanted)));
  const builds = seen.builds || named ? seen.list : await api(listBuilds, { project, app: name });
  const before = candidatesOf({ builds, history, live }, servedBefore(pastOf(builds, history), live));
  const last = lastWell(before);
  const chosen = { app, history, live, done, again, others: last.clear };
  if (named) {
    const isLive = named.id === live && !again;
    if (!isLive && buildPhase(named.status) !== 'succeeded') throw notReadyError(name, named);
    return { ...chosen, target: named, isLive, chosenBy: done ? 'history' : 'name' };
  }
  warnOfDoubts(context, name, last);
  const target = builds.find(({ id }) => id === last.build);
  if (!target) throw nothingBeforeError(name, { history, live }, last);
  tellPassed(context, before, target.id);
  return { ...chosen, target, isLive: false, chosenBy: last.chosenBy };
}

/** Which builds served later than the target and are not returned to, and why not. */
function tellPassed({ progress }: Context, before: readonly ReturnCandidate[], target: string): void {
  const end = before.findIndex(({ id }) => id === target);
  const passed = before.slice(0, end).filter(({ why }) => why !== undefined);
  for (const why of new Set(passed.map((one) => one.why))) {
    const ids = passed.filter((one) => one.why === why).map(({ id }) => shortBuild(id));
    progress.note(`skipped ${ids.join(', ')}: ${why}`);
  }
}

/**
 * The build that is named, or that a rollback has made which was not seen to its end: that one is typed again by the same
 * command, and goes no further back.
 */
async function findWanted(
  context: Context,
  name: string,
  { app, history, live }: Pick<Chosen, 'app' | 'history' | 'live'>,
  { build: word, fromGit, restoreScaling, again }: RollbackOptions,
): Promise<{ wanted: string | undefined; done?: EventOf<'rolling-back'> }> {
  if (again && live === undefined) {
    throw new NotFoundError(`no build of ${name} is known to serve`, { fix: gantryCommand`builds list ${name}` });
  }
  if (again) return { wanted: live };
  const typed = word === undefined ? undefined : await resolveBuild(context, name, word);
  const open = history.openRollback(live);
  const isSame = open && !history.isSick(open.as, open.at) && history.areOfSame(typed ?? open.to, open.to);
  if (!isSame) return { wanted: typed };
  const isLeft = restoreScaling && Object.keys(changedScaling(history, open.to, app)).length > 0;
  const isOther = fromGit !== undefined && fromGit !== open.fromGit;
  return isLeft || isOther ? { wanted: typed ?? open.to } : { wanted: open.as, done: open };
}

/** The scaling that is not what the platform made of the own settings of a build. */
export function changedScaling(history: AppHistory, build: string, shown: Record<string, unknown>) {
  const made = history.firstSettingsOf(build);
  const kept = Object.entries(scalingOf(shown)).filter(([field, value]) => value !== made[field]);
  return Object.fromEntries(kept) as Partial<AppCreation>;
}

interface Known extends Pick<Chosen, 'history' | 'live'> {
  builds: readonly Build[];
}

/** What decides whether a rollback from the live build returns to these. */
export function candidatesOf({ builds, history, live }: Known, served: readonly ServedBuild[]): ReturnCandidate[] {
  const ready = new Set(builds.filter(({ status }) => buildPhase(status) === 'succeeded').map(({ id }) => id));
  return served.map(({ id, evidence }) => {
    const isSame = live !== undefined && history.areOfSame(id, live);
    const why = firstTrue([
      [isSame, 'the same files as those of the live build'],
      [history.isSick(id), 'rolled back or found sick'],
      [!ready.has(id), 'it did not succeed, or is gone'],
    ]);
    return { id, evidence, why };
  });
}

/** Nothing is guessed, or passed over, without a word. */
function warnOfDoubts({ progress }: Context, app: string, { build = '', chosenBy, unclear }: LastWell): void {
  const fix = gantryCommand`builds list ${app}`;
  const warn = (message: string, why: string) => progress.warn({ severity: 'warning', message, why, fix });
  if (unclear.length > 0)
    warn(`whether ${firstBuilds(unclear)} of ${app} served before the live one is not known`, whyUnclear);
  if (chosenBy !== 'order') return;
  const guess = `build ${shortBuild(build)} of ${app} is chosen by the order of builds`;
  warn(`${guess}: nobody here saw it serve, or knows whether it was healthy`, 'only the list of builds shows it');
}

const whyUnclear =
  'a build that was created later was ready first, or the platform does not show when builds were created';

function notReadyError(app: string, { id, status }: Build): ConflictError {
  const fix = gantryCommand`builds list ${app}`;
  return new ConflictError(`build ${shortBuild(id)} of ${app} did not succeed: its status is ${status}`, { fix });
}

function nothingBeforeError(app: string, { history, live }: Pick<Chosen, 'history' | 'live'>, { unclear }: LastWell) {
  const before = live ? ` before ${shortBuild(live)}` : '';
  const served = servedBefore(pastOf([], history)).map(({ id }) => id);
  const sick = served.filter((each) => each !== live && history.isSick(each));
  const details = { app, build: live ?? null, sick };
  if (unclear.length > 0) {
    const why = `only ${firstBuilds(unclear)} may have: ${whyUnclear}`;
    const fix = gantryCommand`rollback ${app} BUILD`;
    return new NothingBeforeError(`which build of ${app} served${before} is not known`, { why, fix, details });
  }
  const found = sick.length > 0 ? { why: `rolled back or found sick: ${firstBuilds(sick)}` } : {};
  const fix = gantryCommand`builds list ${app}`;
  const message = `${app} has no build${before} that served, is well and has other files`;
  return new NothingBeforeError(message, { ...found, fix, details });
}

const firstBuilds = (builds: readonly string[]) => buildsText(builds.slice(0, 3));

/** `others`: builds that could be returned to instead, if they are kept. */
export async function noArchiveError(context: Context, app: string, build: string, { others, again }: Chosen) {
  const why = (await whyNotUsable(context, app, build)) ?? 'its archive is damaged, or was changed after the deploy';
  const isKept = await findKeptBuilds(context, app);
  const other = others.find((id) => id !== build && isKept(id));
  const back = other ? gantryCommand`rollback ${app} ${other}` : gantryCommand`rollback ${app} ${build} --from-git REV`;
  const details = { app, build, kept: other ?? null };
  const message = `build ${shortBuild(build)} of ${app} cannot be deployed again from here: there is no archive of it`;
  return new NotFoundError(message, { why, fix: again?.without ?? back, details });
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
interface ReturnCandidate extends ServedBuild {
  why: string | undefined;
}

type LastWell = ReturnType<typeof lastWell>;

/**
 * The last of those that served before, the latest first, that fits. One that only the list of builds shows is a guess, which
 * is asked for. `unclear`: those that fit and may have served later. `clear`: those that did serve.
 */
export function lastWell(before: readonly ReturnCandidate[]) {
  const fits = before.filter(({ why }) => why === undefined);
  const at = fits.findIndex(({ evidence }) => evidence !== 'unclear');
  const found = fits[at];
  const idsOf = (served: readonly ServedBuild[]) => served.map(({ id }) => id);
  return {
    build: found?.id,
    chosenBy: found?.evidence === 'listed' ? ('order' as const) : ('history' as const),
    unclear: idsOf(found ? fits.slice(0, at) : fits),
    clear: idsOf(fits.filter(({ evidence }) => evidence !== 'unclear')),
  };
}
