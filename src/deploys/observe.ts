import { isTransient, throwUnexpected } from '../kernel/errors.ts';
import { onceFor } from '../kernel/once.ts';
import { shortBuild, toMs } from '../kernel/output/format.ts';
import type { Settings } from '../platform/config/settings.ts';
import type { Context } from '../platform/context.ts';
import { type App, liveBuild } from '../platform/contract/apps.ts';
import { type Build, buildPhase, listBuilds } from '../platform/contract/builds.ts';
import { listContainers } from '../platform/contract/containers.ts';
import { fetchApp } from '../platform/replies/index.ts';
import { isRefusal, tryRequest, unless, unlessMissing } from '../platform/waiting/index.ts';
import { recordLook } from './history/index.ts';
import { badNow } from './replicas.ts';
import { buildFact, lateMs, type ServingFacts, serving, servingBuild } from './serving.ts';

/** What the platform shows of an app at one time. `live`: the build that serves, or that it shows while that is not known. */
export type AppReading = ReturnType<typeof readingOf>;

/**
 * Reads the builds first and the app last: a build that is created in between is the latest one of the app, so that
 * nothing can happen between the two unseen. `own`: a build that is known to be there, listed or not. Throws what is no
 * answer about them.
 */
export async function observe(context: Context, name: string, ownBuild?: Build): Promise<AppReading> {
  const before = await readBuilds(context, name);
  const app = await unlessMissing(fetchApp(context.api, { project: context.project, app: name }));
  // It may have been deleted in between.
  const later = app ? before : await readBuilds(context, name);
  const listed = withOwn(app || later ? later : [], ownBuild);
  return readingOf(context, app, listed);
}

/** What has just been read. `list`: as the platform lists them; empty if it does not. */
export function readingOf(context: Context, app: App | undefined, listed: readonly Build[] | undefined) {
  const { at, readySince } = clockOf(context);
  const builds = listed?.map((build) => {
    const isReady = buildPhase(build.status) === 'succeeded';
    return buildFact(build, isReady ? onceFor(readySince, build.id, () => at) : at);
  });
  const facts: ServingFacts = { at, shows: (app && liveBuild(app)) ?? null, builds };
  const serves = serving(facts);
  const live = servingBuild(serves) ?? facts.shows ?? undefined;
  return { ...facts, app, list: listed ?? [], serving: serves, live };
}

const pauseMs = 2_000;

/** An app that is there, as it has settled, and what is on record of it since. */
export type Settled = Awaited<ReturnType<typeof settleDeployed>>;

/** {@link settle}, and what it shows is written down. Throws NotFoundError of an app that is not there: it names others. */
export async function settleDeployed(context: Context, name: string) {
  const { api, project } = context;
  const reading = await settle(context, name);
  const app = reading.app ?? (await fetchApp(api, { project, app: name }));
  return { ...reading, app, history: await recordLook(context, name, app, reading.list) };
}

/** Reads until the app shows which build serves, or has had the time to. `maxMs` bounds it further. */
export async function settle(
  context: Context,
  name: string,
  { own, maxMs = 2 * lateMs }: { own?: Build; maxMs?: number } = {},
): Promise<AppReading> {
  const { delay, elapsed, progress } = context;
  const started = elapsed();
  let facts = await observe(context, name, own);
  if (facts.serving.is !== 'one of') return facts;
  const step = progress.step(`Waiting for ${name} to show whether ${buildsText(facts.serving.builds)} serves`);
  try {
    while (facts.serving.is === 'one of' && elapsed() - started < maxMs) {
      await delay(Math.min(pauseMs, maxMs - (elapsed() - started)));
      facts = await observe(context, name, own).catch((error: unknown) => {
        throwUnexpected(error, context.signal);
        if (!isTransient(error)) throw error;
        return facts;
      });
    }
    return facts;
  } finally {
    step.clear();
  }
}

/** What is bad of the replicas of a build that serves, by one request: one that was healthy may have begun to crash. */
export async function lookForBad(
  context: Context,
  app: string,
  build: string,
  known: { sentAt: string | undefined; isKept: boolean },
) {
  const { project } = context;
  const listed = await tryRequest(context, (api) => api(listContainers, { project, app }));
  return badNow(build, listed ?? [], { ...known, ageMs: context.platformNow() - toMs(known.sentAt) });
}

/** `build b-1`, `build b-1 or b-2`. */
export function buildsText(builds: readonly string[]): string {
  return `build ${builds.map(shortBuild).join(' or ')}`;
}

function withOwn(listed: readonly Build[] | undefined, ownBuild: Build | undefined): readonly Build[] | undefined {
  if (!ownBuild || listed?.some(({ id }) => id === ownBuild.id)) return listed;
  return [...(listed ?? []), ownBuild];
}

/** The time by the platform's clock, in ms since 1970: what its times are compared with. It does not jump. */
export function platformTime(context: Context): number {
  return clockOf(context).at;
}

/** The platform's clock as it was at the first reading of this command, and what has passed since: it does not jump. */
function clockOf({ settings, platformNow, elapsed }: Context): { at: number; readySince: Map<string, number> } {
  const newClock = () => ({ aheadMs: platformNow() - elapsed(), readySince: new Map<string, number>() });
  const { aheadMs, readySince } = onceFor(clocks, settings, newClock);
  return { at: aheadMs + elapsed(), readySince };
}

/** The clock of each command; and when it first saw builds as ready, by their ids. */
const clocks = new WeakMap<Settings, { aheadMs: number; readySince: Map<string, number> }>();

async function readBuilds({ api, project }: Context, app: string): Promise<readonly Build[] | undefined> {
  return unless(isRefusal, api(listBuilds, { project, app }));
}
