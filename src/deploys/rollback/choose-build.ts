import { type Fix, gantryCommand } from '../../kernel/command-line.ts';
import { ConflictError, type GantryError, NotFoundError } from '../../kernel/errors.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { type App, type AppCreation, liveBuild } from '../../platform/contract/apps.ts';
import { type Build, buildPhase, listBuilds } from '../../platform/contract/builds.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { findKeptBuilds, whyNotUsable } from '../archives/index.ts';
import { fetchBuild, resolveBuild } from '../builds/index.ts';
import { type AppHistory, type EventOf, recordLook, settleRollbacks } from '../history/index.ts';
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
  again?: { onto?: string; without: Fix } | undefined;
}

/** The build to return to, and the one that it replaces. */
export interface Chosen extends Pick<Return, 'do' | 'chosenBy' | 'other'>, Pick<RollbackOptions, 'again'> {
  app: App;
  history: AppHistory;
  live: string | undefined;
  target: Build;
  /** The rollback that has made the live build and was not seen to its end, if there is nothing else to do. */
  done: EventOf<'rolling-back'> | undefined;
}

/**
 * Chooses by what is on record and what the platform lists. A rollback that has made the live build and was not seen to its
 * end is typed again by the same command: that goes no further back.
 */
export async function chooseBuild(
  context: Context,
  name: string,
  seen: AppReading,
  { build: word, sick, fromGit, restoreScaling, again: isAgain }: RollbackOptions,
): Promise<Chosen> {
  const { api, project } = context;
  const app = seen.app ?? (await fetchApp(api, { project, app: name }));
  const live = sick?.build ?? servingBuild(seen.serving) ?? liveBuild(app);
  const looked = await recordLook(context, name, app);
  const history = await settleRollbacks(context, name, looked, seen.list);
  if (isAgain && live === undefined) {
    throw new NotFoundError(`no build of ${name} is known to serve`, { fix: gantryCommand`builds list ${name}` });
  }
  const typed = isAgain ? live : word === undefined ? undefined : await resolveBuild(context, name, word);
  const open = live === undefined || isAgain ? undefined : history.openRollback(live);
  const isSame = open && !history.isSick(open.as, open.at) && (!typed || history.areOfSame(typed, open.to));
  const again = isSame ? open : undefined;
  const isLeft = restoreScaling && again && Object.keys(changedScaling(history, again.to, app)).length > 0;
  const done = isLeft || (fromGit !== undefined && fromGit !== again?.fromGit) ? undefined : again;
  const wanted = done?.as ?? typed ?? again?.to;
  const target = wanted === undefined ? undefined : await fetchBuild(api, { project, app: name, build: wanted });
  const builds = seen.builds || target ? [...seen.list] : await api(listBuilds, { project, app: name });
  const known = { history, live, isKept: fromGit === undefined ? await findKeptBuilds(context, name) : () => true };
  const before = candidatesOf({ ...known, builds }, servedBefore(pastOf(builds, history), live));
  // What serves is deployed again as any other build.
  const named = { ...known, builds: target ? [target] : [], ...(isAgain && { live: undefined }) };
  const [given] = target ? candidatesOf(named, [{ id: target.id, evidence: 'seen' }]) : [];
  const choice = returnTo(before, given);
  warnOfDoubts(context, name, choice);
  if (choice.do !== 'return' && choice.do !== 'nothing') {
    throw await stopError(context, name, { history, live, target }, { ...choice, again: isAgain });
  }
  const chosen = target ?? (builds.find(({ id }) => id === choice.build) as Build);
  return { ...choice, app, history, live, target: chosen, done, again: isAgain, ...(done && { chosenBy: 'history' }) };
}

/** The scaling that is not what the platform made of the own settings of a build. */
export function changedScaling(history: AppHistory, build: string, shown: Record<string, unknown>) {
  const made = history.firstSettingsOf(build);
  const kept = Object.entries(scalingOf(shown)).filter(([field, value]) => value !== made[field]);
  return Object.fromEntries(kept) as Partial<AppCreation>;
}

interface Known {
  builds: readonly Build[];
  history: AppHistory;
  live: string | undefined;
  isKept: (build: string) => boolean;
}

/** What decides whether a rollback from the live build returns to these. */
export function candidatesOf(known: Known, served: readonly ServedBuild[]): ReturnCandidate[] {
  const { builds, history, live, isKept } = known;
  const ready = new Set(builds.filter(({ status }) => buildPhase(status) === 'succeeded').map(({ id }) => id));
  return served.map(({ id, evidence }) => ({
    id,
    evidence,
    state: !ready.has(id) ? 'not-ready' : history.isSick(id) ? 'sick' : 'well',
    files: id === live ? 'live' : live !== undefined && history.areOfSame(id, live) ? 'same' : 'others',
    // Asked of few.
    get isKept() {
      return isKept(id);
    },
  }));
}

/** Nothing is guessed, or passed over, without a word. */
function warnOfDoubts({ progress }: Context, app: string, choice: Return): void {
  const warn = (message: string, why: string) =>
    progress.warn({ severity: 'warning', message, why, fix: gantryCommand`builds list ${app}` });
  const { unclear } = choice;
  if (unclear.length > 0)
    warn(`whether ${firstBuilds(unclear)} of ${app} served before the live one is not known`, whyUnclear);
  if (choice.build === undefined || choice.chosenBy !== 'order') return;
  const guess = `build ${shortBuild(choice.build)} of ${app} is chosen by the order of builds`;
  const why = 'only the list of builds shows it';
  warn(`${guess}: nobody here saw it serve, or knows whether it was healthy`, why);
}

const whyUnclear =
  'a build that was created later was ready first, or the platform does not show when builds were created';

async function stopError(
  context: Context,
  app: string,
  { history, live, target }: Pick<Known, 'history' | 'live'> & { target: Build | undefined },
  { do: why, build = '', unclear, ...choice }: Return & Pick<Chosen, 'again'>,
): Promise<GantryError> {
  if (why === 'no-archive') return noArchiveError(context, app, build, choice);
  const fix = gantryCommand`builds list ${app}`;
  if (why === 'not-ready') {
    const status = `its status is ${target?.status}`;
    return new ConflictError(`build ${shortBuild(build)} of ${app} did not succeed: ${status}`, { fix });
  }
  const before = live ? ` before ${shortBuild(live)}` : '';
  const sick = servedBefore(pastOf([], history))
    .map(({ id }) => id)
    .filter((each) => each !== live && history.isSick(each));
  const details = { app, build: live ?? null, sick };
  if (why === 'unclear') {
    const facts = {
      why: `only ${firstBuilds(unclear)} may have: ${whyUnclear}`,
      fix: gantryCommand`rollback ${app} BUILD`,
    };
    return new NothingBeforeError(`which build of ${app} served${before} is not known`, { ...facts, details });
  }
  const found = sick.length > 0 ? { why: `rolled back or found sick: ${firstBuilds(sick)}` } : {};
  return new NothingBeforeError(`${app} has no build${before} that served, is well and has other files`, {
    ...found,
    fix,
    details,
  });
}

const firstBuilds = (builds: readonly string[]) => buildsText(builds.slice(0, 3));

export async function noArchiveError(context: Context, app: string, build: string, { other, again }: Partial<Chosen>) {
  const why = (await whyNotUsable(context, app, build)) ?? 'its archive is damaged, or was changed after the deploy';
  const back = other ? gantryCommand`rollback ${app} ${other}` : gantryCommand`rollback ${app} ${build} --from-git REV`;
  const fix = again?.without ?? back;
  const message = `build ${shortBuild(build)} of ${app} cannot be deployed again from here: there is no archive of it`;
  return new NotFoundError(message, { why, fix, details: { app, build, kept: other ?? null } });
}

/** Says early if there would be nothing to roll back to. */
export async function warnUnlessKept(context: Context, app: string, live: string | null): Promise<void> {
  if (live === null) return;
  const why = await whyNotUsable(context, app, live);
  if (why === undefined) return;
  context.progress.warn({
    severity: 'warning',
    message: `--or-rollback cannot return to build ${shortBuild(live)} of ${app}`,
    why: `there is no archive of it to deploy: ${why}`,
    ...(teamStateOf(context) === undefined && { fix: gantryCommand`config set team-state default:/.gantry` }),
  });
}

/** No build is known to have served before, to be well, and to have other files. */
export class NothingBeforeError extends NotFoundError {}

/** A build that a rollback may return to, and what decides whether it does. */
export interface ReturnCandidate extends ServedBuild {
  /** Sick: it was found so, or was rolled back. Not ready: it is in progress, or has failed. */
  state: 'well' | 'sick' | 'not-ready';
  /** Compared with the build that it would replace: that is this one, or has the same files. */
  files: 'live' | 'same' | 'others';
  /** Its files can be had: there is an archive, or a revision is given. */
  isKept: boolean;
}

/** What the build to return to is known by. That another one was created later says nothing of how it was. */
export const choices = ['name', 'history', 'order'] as const;

export interface Return {
  /** Nothing: that is what serves. The others say why there is no return. */
  do: 'return' | 'nothing' | 'not-ready' | 'no-archive' | 'unclear' | 'nothing-before';
  build: string | undefined;
  chosenBy: (typeof choices)[number];
  /** Those that may have served later than the one that is chosen. */
  unclear: readonly string[];
  /** Another one, with an archive. */
  other: string | undefined;
}

/**
 * Which build a rollback returns to. `before`: those that served before, the latest first. The named one, however it is; else
 * the last of them that is well and has other files. One that only the list of builds shows is a guess, which is asked for.
 */
export function returnTo(before: readonly ReturnCandidate[], named?: ReturnCandidate): Return {
  const fits = before.filter(({ state, files }) => state === 'well' && files === 'others');
  const clear = fits.filter(({ evidence }) => evidence !== 'unclear');
  const found = named ?? clear[0];
  const unclear = named ? [] : fits.slice(0, clear[0] && fits.indexOf(clear[0])).map(({ id }) => id);
  const other = clear.find(({ id, isKept }) => isKept && id !== found?.id)?.id;
  const chosenBy = named ? 'name' : found?.evidence === 'listed' ? 'order' : 'history';
  return { do: whatToDo(found, unclear.length > 0), build: found?.id, chosenBy, unclear, other };
}

function whatToDo(found: ReturnCandidate | undefined, mayBeOther: boolean): Return['do'] {
  if (!found) return mayBeOther ? 'unclear' : 'nothing-before';
  if (found.files === 'live') return 'nothing';
  if (found.state === 'not-ready') return 'not-ready';
  return found.isKept ? 'return' : 'no-archive';
}
