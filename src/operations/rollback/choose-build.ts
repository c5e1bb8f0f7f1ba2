import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { type App, liveBuild } from '../../contract/apps.ts';
import { type Build, buildPhase, listBuilds } from '../../contract/builds.ts';
import { ConflictError, NotFoundError } from '../../errors.ts';
import { latestFirst, shortBuild } from '../../output/format.ts';
import { fetchBuild, resolveBuild } from '../builds/index.ts';
import type { DeployedState } from '../deploy/index.ts';
import { type AppHistory, type EventOf, readHistory, recordLook, settleRollbacks } from '../history/index.ts';
import { fetchApp } from '../replies/index.ts';
import { type LastCalls, readLastCalls } from './last-calls.ts';

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
  const open = live === undefined || history.isSick(live) ? undefined : history.openRollback(live);
  const isSame = open && (named === undefined || history.areOfSame(named.target.id, open.to));
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
  const known = await readBuilds(context, name, live);
  const found = findBuildBefore(known, live);
  if (!found) throw nothingBefore(name, live, known);
  const isGuessed = isGuess(known, found);
  const lastCalls = isGuessed ? await warnOfGuess(context, name, known, found) : null;
  return { target: found, chosenBy: isGuessed ? 'order' : 'history', lastCalls };
}

/** Whether a build is chosen by the order of builds alone. `before`: what the app showed as live before a deploy. */
export function isGuess({ history }: KnownBuilds, found: Build, before?: string | null): boolean {
  return found.id !== before && !history.servedBuilds().includes(found.id);
}

/** Nothing is guessed without a word. What the platform lists of its calls may show that it was not well. */
export async function warnOfGuess(
  context: Context,
  app: string,
  known: KnownBuilds,
  { id }: Build,
): Promise<LastCalls | null> {
  const last = await readLastCalls(context, app, known, id);
  const { calls = 0, failed = 0 } = last ?? {};
  const isBad = calls > 0 && failed === calls;
  context.progress.warn({
    severity: 'warning',
    message: isBad
      ? `build ${shortBuild(id)} of ${app} is chosen by the order of builds, and all its last calls failed (${failed} of ${calls})`
      : `build ${shortBuild(id)} of ${app} is chosen by the order of builds: whether it served, and was well, is not known here`,
    why: 'nothing on record here served before the live build, except what was rolled back or found sick',
    fix: gantryCommand`builds list ${app}`,
  });
  return last;
}

/** The builds of an app, and what is known of them. */
export interface KnownBuilds {
  /** The newest first. */
  builds: readonly Build[];
  history: AppHistory;
}

export async function readBuilds(context: Context, app: string, live: string | undefined): Promise<KnownBuilds> {
  const { api, project } = context;
  const [builds, recorded] = await Promise.all([api(listBuilds, { project, app }), readHistory(context, app)]);
  const history = await settleRollbacks(context, app, { builds, history: recorded, live });
  return { builds: builds.sort(latestFirst(({ createdAt }) => createdAt)), history };
}

/**
 * The build that served before this one and was not found sick: from the history of the app, else `before`. Without
 * either, the last of those created earlier that succeeded: builds may have become ready in another order. A platform
 * that does not show when they were created shows no order.
 */
export function findBuildBefore(
  { builds, history }: KnownBuilds,
  build: string | undefined,
  before?: string | null,
): Build | undefined {
  const known = new Map(builds.map((each) => [each.id, each]));
  const served = build === undefined ? history.servedBuilds() : history.servedBefore(build);
  const older = hasOrder(builds) ? builds.slice(builds.findIndex(({ id }) => id === build) + 1) : [];
  const candidates = [...served, ...(before ? [before] : [])].flatMap((id) => known.get(id) ?? []);
  // Of the same files: a rollback to it would change nothing.
  const isSame = (id: string) => build !== undefined && history.areOfSame(id, build);
  return [...candidates, ...older].find(
    ({ id, status }) => !isSame(id) && buildPhase(status) === 'succeeded' && !history.isSick(id),
  );
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

function nothingBefore(app: string, live: string | undefined, { builds, history }: KnownBuilds): NotFoundError {
  const sick = history.servedBuilds().filter((build) => build !== live && history.isSick(build));
  const before = live ? ` before ${shortBuild(live)}` : '';
  const details = { app, build: live ?? null, sick };
  const others = builds.filter(({ id, status }) => id !== live && buildPhase(status) === 'succeeded');
  if (!hasOrder(builds) && others.some(({ id }) => !history.isSick(id))) {
    return new NotFoundError(`which build of ${app} served${before} is not known`, {
      why: 'the platform does not show when builds were created, and no other one is on record here',
      fix: gantryCommand`rollback ${app} BUILD`,
      details,
    });
  }
  return new NotFoundError(`${app} has no successful build${before} to return to`, {
    ...(sick.length > 0 && { why: `rolled back or found sick: ${sick.slice(0, maxShown).map(shortBuild).join(', ')}` }),
    fix: gantryCommand`builds list ${app}`,
    details,
  });
}

const maxShown = 3;
