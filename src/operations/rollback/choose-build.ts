import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { type App, liveBuild } from '../../contract/apps.ts';
import { type Build, buildPhase, listBuilds } from '../../contract/builds.ts';
import { pastOf, type ServedBuild, servedBefore } from '../../deploys/served-before.ts';
import { ConflictError, NotFoundError } from '../../errors.ts';
import { latestFirst, shortBuild } from '../../output/format.ts';
import { fetchBuild, resolveBuild } from '../builds/index.ts';
import type { DeployedState } from '../deploy/index.ts';
import { type AppHistory, type EventOf, readHistory, recordLook, settleRollbacks } from '../history/index.ts';
import { fetchApp } from '../replies/index.ts';
import { type LastCalls, readLastCalls } from './last-calls.ts';
import { checkNoReturn } from './unknown-return.ts';

export interface RollbackChoice {
  app: App;
  /** The build that serves; undefined if none does. */
  live: string | undefined;
  /** The build to return to. */
  target: Build;
  chosenBy: ChosenBy;
  /** Of a build that is not known to have been well, how its last calls went; null if none is listed. */
  lastCalls: LastCalls | null;
  /** The rollback that made the live build and was not seen to its end: it has succeeded. */
  done?: EventOf<'rolling-back'>;
}

/** What the build to return to is known by. That another one was created later says nothing of how it was. */
export const choices = ['name', 'history', 'order'] as const;
type ChosenBy = (typeof choices)[number];

interface Wanted {
  build?: string | undefined;
  replaces?: string | undefined;
  /** Whether a rollback that was not seen to its end, and made the live build, did all that this one is to do. */
  isDone: (open: EventOf<'rolling-back'>, app: App) => Promise<boolean>;
}

/**
 * The build to return to: the given one, or the one that served before the live one. That is the live one itself if an
 * earlier rollback made it and was not seen to its end: typed again, it goes no further back.
 */
export async function chooseBuild(
  context: Context,
  name: string,
  seen: DeployedState,
  { build: requested, replaces, isDone }: Wanted,
): Promise<RollbackChoice> {
  const { api, project } = context;
  const app = seen.app ?? (await fetchApp(api, { project, app: name }));
  const live = replaces ?? seen.serves ?? liveBuild(app);
  const history = await recordLook(context, name, app);
  const named = requested === undefined ? undefined : await namedBuild(context, name, requested);
  const open = live === undefined ? undefined : history.openRollback(live);
  const isSame =
    open && !history.isSick(open.as, open.at) && (named === undefined || history.areOfSame(named.target.id, open.to));
  if (isSame && (await isDone(open, app))) {
    const target = await fetchBuild(api, { project, app: name, build: open.as });
    return { app, live, chosenBy: 'history', lastCalls: null, ...named, target, done: open };
  }
  const choice = named ?? (await (isSame ? namedBuild(context, name, open.to) : readBuildBefore(context, name, live)));
  const { target } = choice;
  if (buildPhase(target.status) !== 'succeeded') {
    throw new ConflictError(
      `build ${shortBuild(target.id)} of ${name} did not succeed: its status is ${target.status}`,
      {
        fix: gantryCommand`builds list ${name}`,
      },
    );
  }
  return { app, live, ...choice };
}

type Chosen = Pick<RollbackChoice, 'target' | 'chosenBy' | 'lastCalls'>;

async function namedBuild(context: Context, app: string, word: string): Promise<Chosen> {
  const { api, project } = context;
  const build = await resolveBuild(context, app, word);
  return { target: await fetchBuild(api, { project, app, build }), chosenBy: 'name', lastCalls: null };
}

async function readBuildBefore(context: Context, name: string, live: string | undefined): Promise<Chosen> {
  const known = await readBuilds(context, name);
  const found = findBuildBefore(known, live);
  if (!found.build) throw nothingBefore(name, live, known, found);
  if (live !== undefined && !known.history.isOnRecord(live)) {
    const served = servedBefore(pastOf(known.builds, known.history), live).map(({ id }) => id);
    const target = found.build.id;
    await checkNoReturn(context, name, { live, target, earlier: served.slice(served.indexOf(target) + 1) });
  }
  const lastCalls = await warnOfDoubts(context, name, known, found);
  return { target: found.build, chosenBy: found.isGuess ? 'order' : 'history', lastCalls };
}

/** Nothing is guessed without a word. What the platform lists of its calls may show that it was not well. */
export async function warnOfDoubts(
  context: Context,
  app: string,
  known: KnownBuilds,
  { build, isGuess, unclear }: BuildBefore,
): Promise<LastCalls | null> {
  const fix = gantryCommand`builds list ${app}`;
  if (unclear.length > 0) {
    context.progress.warn({
      severity: 'warning',
      message: `whether ${unclear.length === 1 ? 'build' : 'builds'} ${shortBuilds(unclear)} of ${app} served before the live one is not known`,
      why: hasOrder(known.builds)
        ? 'a build that was created later was ready first'
        : 'the platform does not show when builds were created, and nothing is on record here',
      fix,
    });
  }
  if (!build || !isGuess) return null;
  const last = await readLastCalls(context, app, known, build.id);
  const { calls = 0, failed = 0 } = last ?? {};
  const isBad = calls > 0 && failed === calls;
  context.progress.warn({
    severity: 'warning',
    message: isBad
      ? `build ${shortBuild(build.id)} of ${app} is chosen by the order of builds, and all its last calls failed (${failed} of ${calls})`
      : `build ${shortBuild(build.id)} of ${app} is chosen by the order of builds: whether it served, and was well, is not known here`,
    why: 'only the list of builds shows it: nobody on record here has seen it serve',
    fix,
  });
  return last;
}

/** The builds of an app, and what is known of them. */
export interface KnownBuilds {
  /** The newest first. */
  builds: readonly Build[];
  history: AppHistory;
}

export async function readBuilds(context: Context, app: string, listed?: readonly Build[]): Promise<KnownBuilds> {
  const { api, project } = context;
  const [read, recorded] = await Promise.all([listed ?? api(listBuilds, { project, app }), readHistory(context, app)]);
  const builds = [...read];
  const history = await settleRollbacks(context, app, recorded, builds);
  return { builds: builds.sort(latestFirst(({ createdAt }) => createdAt)), history };
}

/** The build to return to, if there is one. */
export interface BuildBefore {
  build: Build | undefined;
  /** It was not seen serving: only the list of builds shows it. */
  isGuess: boolean;
  /** Those that may have served after it. */
  unclear: readonly string[];
}

/**
 * The build that served before this one, has succeeded and was not found sick. */
export function findBuildBefore(known: KnownBuilds, build: string | undefined): BuildBefore {
  const { builds, history } = known;
  const all = new Map(builds.map((each) => [each.id, each]));
  const isTarget = ({ id }: ServedBuild) =>
    buildPhase(all.get(id)?.status ?? '') === 'succeeded' &&
    !history.isSick(id) &&
    // Of the same files: a rollback to it would change nothing.
    !(build !== undefined && history.areOfSame(id, build));
  const targets = servedBefore(pastOf(builds, history), build).filter(isTarget);
  const at = targets.findIndex(({ evidence }) => evidence !== 'unclear');
  const unclear = targets.slice(0, at < 0 ? targets.length : at).map(({ id }) => id);
  const found = targets[at];
  return { build: all.get(found?.id ?? ''), isGuess: found?.evidence === 'listed', unclear };
}

function hasOrder(builds: readonly Build[]): boolean {
  return builds.every(({ createdAt }) => createdAt);
}

/** Builds that were created after this one. Where that is not shown, those that have started: they may have been. */
export function laterBuilds({ builds }: KnownBuilds, build: string): readonly Build[] {
  if (!hasOrder(builds)) return builds.filter(({ id, status }) => id !== build && !/^pending$/i.test(status));
  return builds.slice(
    0,
    Math.max(
      0,
      builds.findIndex(({ id }) => id === build),
    ),
  );
}

function nothingBefore(
  app: string,
  live: string | undefined,
  { builds, history }: KnownBuilds,
  { unclear }: BuildBefore,
): NotFoundError {
  const served = servedBefore(pastOf([], history)).map(({ id }) => id);
  const sick = served.filter((build) => build !== live && history.isSick(build));
  const before = live ? ` before ${shortBuild(live)}` : '';
  const details = { app, build: live ?? null, sick };
  if (unclear.length > 0) {
    return new NotFoundError(`which build of ${app} served${before} is not known`, {
      why: hasOrder(builds)
        ? `only ${shortBuilds(unclear)} may have: a build that was created later was ready first`
        : 'the platform does not show when builds were created, and no other one is on record here',
      fix: gantryCommand`rollback ${app} BUILD`,
      details,
    });
  }
  return new NotFoundError(`${app} has no successful build${before} to return to`, {
    ...(sick.length > 0 && { why: `rolled back or found sick: ${shortBuilds(sick)}` }),
    fix: gantryCommand`builds list ${app}`,
    details,
  });
}

function shortBuilds(builds: readonly string[]): string {
  return builds.slice(0, maxShown).map(shortBuild).join(', ');
}

const maxShown = 3;
