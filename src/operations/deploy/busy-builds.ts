import type { Api } from '../../api/client.ts';
import { type CommandLine, gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { type Build, isCanceled, listBuilds } from '../../contract/builds.ts';
import { buildFact } from '../../deploys/facts.ts';
import { type Order, order } from '../../deploys/serving.ts';
import { ConflictError, GantryError, PendingError, UnavailableError } from '../../errors.ts';
import { duration, shortBuild } from '../../output/format.ts';
import { remoteBuild } from '../builds/index.ts';
import {
  cancelRemoteWork,
  Deadline,
  pollUntil,
  type TimeLimit,
  throwUnlessTransient,
  timeoutSignal,
  unlessMissing,
} from '../waiting/index.ts';
import { isPending } from './pending-upload.ts';
import { isBusy, type StuckBuilds } from './stuck-builds.ts';

/** What a deploy does about other builds of the app that are in progress. */
export const busyPolicies = ['proceed', 'wait', 'cancel', 'fail'] as const;
export type BusyPolicy = (typeof busyPolicies)[number];

/** Times in ms. */
const pauses = { firstMs: 250, maxMs: 2_000, growth: 1.5 };
/** How long a deploy waits for a list that it does not need. */
const maxNoteMs = 2_000;

interface BusyOptions {
  limit: TimeLimit;
  stuck: StuckBuilds;
}

interface TurnOptions extends BusyOptions {
  /** The same deploy, waiting for other builds. */
  inTurn: CommandLine;
}

/**
 * Applies the policy before a build is created. Throws ConflictError (`fail`), or PendingError if other builds are still
 * in progress when the time is over.
 */
export async function resolveBusyBuilds(
  context: Context,
  app: string,
  policy: BusyPolicy,
  { limit, stuck, inTurn }: TurnOptions,
): Promise<void> {
  const busy = await findBusyBuilds(context, app, policy, stuck);
  if (busy.length === 0) return;
  const { api, delay, progress, project } = context;
  const named = names(busy);
  if (policy === 'fail') throw busyError(app, busy, inTurn);
  if (policy === 'wait') await limit.wait((ms) => waitUntilNone(context, app, ms, stuck));
  if (policy === 'proceed') progress.note(`${named} of ${app} in progress; this deploy does not wait (--if-busy wait)`);
  if (policy === 'cancel') {
    for (const { id } of busy)
      await cancelRemoteWork({ api, delay, progress }, remoteBuild(project, app, id), async () => {});
    progress.note(`canceled ${named} of ${app}`);
  }
}

/**
 * Waits for builds that were created before this one, which starts with its upload. Builds then end in the order in
 * which they were created, and the last one serves, also if deploys start at the same time. Returns whether it waited.
 */
export async function waitForEarlierBuilds(
  context: Context,
  app: string,
  build: string,
  { limit, stuck }: BusyOptions,
): Promise<boolean> {
  return limit.wait((ms) => waitUntilNone(context, app, ms, stuck, build));
}

/** Whether builds were created after this one and not canceled: they replace it. */
export async function isSuperseded({ api, project }: Context, app: string, build: string): Promise<boolean> {
  const builds = await list(api, project, app);
  const own = builds.find(({ id }) => id === build);
  return own !== undefined && builds.some((other) => orderOf(own, other) === 'before' && !isCanceled(other.status));
}

/**
 * Whether a build goes before this one in the queue. Where their times do not tell, all that have started do. Of those that
 * have not, each may be waiting for the others, so that their ids decide.
 */
export function goesBefore(other: Build, own: Build): boolean {
  const known = orderOf(other, own);
  return known === 'unknown' ? !isPending(other.status) || other.id < own.id : known === 'before';
}

function orderOf(a: Build, b: Build): Order {
  return order(buildFact(a).created, buildFact(b).created);
}

/** With `proceed` the list is only for a note: without it, or if it takes long, the deploy continues. */
async function findBusyBuilds(context: Context, app: string, policy: BusyPolicy, stuck: StuckBuilds): Promise<Build[]> {
  const { api, apiWithSignal, project, signal } = context;
  // Those that cannot start any more are canceled with the others.
  if (policy === 'cancel') return (await list(api, project, app)).filter(isBusy);
  if (policy !== 'proceed') return stuck.without(await list(api, project, app));
  const inTime = timeoutSignal(maxNoteMs, () => new UnavailableError('no reply in time'), signal);
  try {
    const builds = await list(
      apiWithSignal(inTime, () => {}),
      project,
      app,
    );
    return await stuck.without(builds);
  } catch (error) {
    if (error instanceof GantryError && !signal.aborted) return [];
    throw error;
  }
}

async function waitUntilNone(
  context: Context,
  app: string,
  timeoutMs: number,
  stuck: StuckBuilds,
  /** Wait only for those before this one. */
  ownBuild?: string,
): Promise<boolean> {
  const { elapsed, progress, project } = context;
  const started = elapsed();
  let busy: Build[] | undefined;
  let hasWaited = false;
  const step = progress.step(`Waiting for other builds of ${app}`);
  const deadline = new Deadline(context, timeoutMs, () => timeoutError(app, busy, timeoutMs));
  const work = { name: `the builds of ${app}`, fix: gantryCommand`builds list ${app}`, details: { app } };
  try {
    await pollUntil(
      context,
      {
        poll: (api) => list(api, project, app),
        deadline,
        pauses,
        onFailure(error, silentMs) {
          const ageMs = ownBuild === undefined ? undefined : deadline.waitedMs;
          throwUnlessTransient(error, silentMs, { ...work, ageMs });
        },
      },
      async (builds) => {
        const own = builds.find(({ id }) => id === ownBuild);
        const others = (
          await stuck.without(
            builds.filter(({ id }) => id !== ownBuild),
            platformTime(own, elapsed() - started),
          )
        ).filter((build) => own === undefined || goesBefore(build, own));
        if (others.length === 0) return true;
        busy = others;
        hasWaited = true;
        step.update({ text: names(others) });
        stuck.noteLongPending(others, elapsed() - started);
        return undefined;
      },
    );
    if (hasWaited) step.done(`Waited ${duration(elapsed() - started)} for other builds of ${app}`);
    else step.clear();
    return hasWaited;
  } catch (error) {
    step.fail();
    throw error;
  }
}

/** Our own build was created when the wait began, by the platform's clock: this machine's may be wrong. */
function platformTime(own: Build | undefined, waitedMs: number): number | undefined {
  const createdAt = Date.parse(own?.createdAt ?? '');
  return Number.isNaN(createdAt) ? undefined : createdAt + waitedMs;
}

/** A new app has no builds. */
async function list(api: Api, project: string, app: string): Promise<Build[]> {
  return (await unlessMissing(api(listBuilds, { project, app }))) ?? [];
}

function names(builds: Build[]): string {
  const ids = builds.map(({ id, status }) => `${shortBuild(id)} (${status})`).join(', ');
  return builds.length === 1 ? `build ${ids}` : `builds ${ids}`;
}

function busyError(app: string, builds: Build[], fix: CommandLine): ConflictError {
  return new ConflictError(`${names(builds)} of ${app} in progress`, {
    fix,
    details: { app, builds: builds.map(({ id }) => id) },
  });
}

/** Without a list of builds, nothing is known to be in progress. */
function timeoutError(app: string, builds: Build[] | undefined, timeoutMs: number): GantryError {
  if (!builds) {
    const message = `the builds of ${app} could not be listed within ${duration(timeoutMs)}`;
    return new UnavailableError(message, { why: 'other builds may be in progress', details: { app } });
  }
  return new PendingError(`${names(builds)} of ${app} still in progress after ${duration(timeoutMs)}`, {
    fix: gantryCommand`builds cancel ${app} ${builds[0]?.id ?? ''}`,
    details: { app, builds: builds.map(({ id }) => id) },
  });
}
