import { type CommandLine, gantryCommand } from '../../kernel/command-line.ts';
import { ConflictError, type GantryError, PendingError, UnavailableError } from '../../kernel/errors.ts';
import { duration, shortBuild } from '../../kernel/output/format.ts';
import type { Api } from '../../platform/api/client.ts';
import type { Context } from '../../platform/context.ts';
import { type Build, isCanceled, listBuilds } from '../../platform/contract/builds.ts';
import {
  cancelRemoteWork,
  Deadline,
  pollUntil,
  type TimeLimit,
  throwUnlessTransient,
  tryRequest,
  unlessMissing,
  untilKnown,
  waitForChange,
} from '../../platform/waiting/index.ts';
import { remoteBuild } from '../builds/index.ts';
import { type BeforeFacts, beforeFacts } from '../decide.ts';
import { buildFact } from '../facts.ts';
import { type AppReading, observe } from '../observe.ts';
import { type Order, order } from '../serving.ts';
import { isBusy, isExpired, isPending, type StuckBuilds } from './stuck-builds.ts';

/** Times in ms. */
const pauses = { firstMs: 250, maxMs: 2_000, growth: 1.5 };
/** Packing and uploading take this long now and then. Who waits for longer learns what can be done. In ms. */
const longPendingMs = 30_000;

/** How to wait for other builds. `own`: only for those before this one. */
interface WaitOptions {
  limit: TimeLimit;
  stuck: StuckBuilds;
  own?: string;
}

/** What a deploy does about other builds of the app that are in progress. */
export const busyPolicies = beforeFacts.ifBusy;
export type BusyPolicy = BeforeFacts['ifBusy'];

/** The builds in progress. With `proceed` they are only noted: without them, or if they take long, the deploy continues. */
export async function findBusyBuilds(
  context: Context,
  app: string,
  policy: BusyPolicy,
  stuck: StuckBuilds,
): Promise<readonly Build[]> {
  const find = async (api: Api) => {
    const builds = await list(api, context.project, app);
    // Those that cannot start any more are canceled with the others.
    return policy === 'cancel' ? builds.filter(isBusy) : stuck.without(builds);
  };
  if (policy !== 'proceed') return find(context.api);
  const busy = (await tryRequest(context, find)) ?? [];
  const note = `${names(busy)} of ${app} in progress; this deploy does not wait (--if-busy wait)`;
  if (busy.length > 0) context.progress.note(note);
  return busy;
}

export async function cancelBusyBuilds(context: Context, app: string, busy: readonly Build[]): Promise<void> {
  for (const { id } of busy) await cancelRemoteWork(context, remoteBuild(context.project, app, id), async () => {});
  context.progress.note(`canceled ${names(busy)} of ${app}`);
}

/** `fix`: the same deploy, waiting for other builds. */
export function busyError(app: string, busy: readonly Build[], fix: CommandLine): ConflictError {
  const details = { app, builds: busy.map(({ id }) => id) };
  return new ConflictError(`${names(busy)} of ${app} in progress`, { fix, details });
}

/**
 * Waits for other builds in progress, or for those that were created before this one, which starts with its upload. Builds
 * then end in the order in which they were created, and the last one serves, also if deploys start at the same time. Returns
 * whether it waited.
 */
export async function waitForBuilds(
  context: Context,
  app: string,
  { limit, stuck, own }: WaitOptions,
): Promise<boolean> {
  const { elapsed, progress, project } = context;
  const started = elapsed();
  let busy: Build[] = [];
  const step = progress.step(`Waiting for other builds of ${app}`);
  const work = { name: `the builds of ${app}`, fix: gantryCommand`builds list ${app}`, details: { app } };
  const hasEnded = async (builds: readonly Build[]) => {
    const ownBuild = builds.find(({ id }) => id === own);
    const others = await stuck.without(builds.filter(({ id }) => id !== own));
    const earlier = ownBuild ? others.filter((build) => goesBefore(build, ownBuild)) : others;
    if (earlier.length === 0) return true;
    busy = earlier;
    step.update({ text: names(busy) });
    if (elapsed() - started > longPendingMs) stuck.note(busy);
    return undefined;
  };
  try {
    await limit.wait((ms) => {
      const deadline = new Deadline(context, ms, () => timeoutError(app, busy, duration(ms)));
      const onFailure = (error: unknown, silentMs: number) =>
        void throwUnlessTransient(error, silentMs, own ? { ...work, ageMs: deadline.waitedMs } : work);
      return pollUntil(context, { poll: (api) => list(api, project, app), deadline, pauses, onFailure }, hasEnded);
    });
  } catch (error) {
    step.fail();
    throw error;
  }
  const hasWaited = busy.length > 0;
  if (hasWaited) step.done(`Waited ${duration(elapsed() - started)} for other builds of ${app}`);
  else step.clear();
  return hasWaited;
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

/**
 * Builds in progress that are not known. Behind: created after the own one and without an upload yet, so that they yield to
 * it. Of deploys at the same moment, one goes on.
 */
export function othersInProgress({ list, at }: AppReading, known: readonly string[], own?: string) {
  const others = list.filter((build) => isBusy(build) && !isExpired(build, at) && ![own, ...known].includes(build.id));
  const ours = list.find(({ id }) => id === own);
  const isFirst = (other: Build) => !ours || !isPending(other.status) || goesBefore(other, ours);
  return { first: others.filter(isFirst), behind: others.filter((other) => !isFirst(other)) };
}

/**
 * Looks at an app until those behind have yielded, which takes seconds; one that stays so has nothing to replace. One that
 * only the app shows was created since the list was read: it is looked for again, and is in progress if it stays unlisted.
 */
export async function lookBeforeUpload(context: Context, app: string, known: readonly string[], own?: string) {
  const look = async () => {
    const now = await observe(context, app);
    const latest = now.app?.latestCreatedBuildId;
    const isKnown = !latest || [own, ...known, ...now.list.map(({ id }) => id)].includes(latest);
    const unlisted = own === undefined || isKnown ? [] : [{ id: latest, status: 'unknown' }];
    return { now, unlisted, ...othersInProgress(now, known, own) };
  };
  const isSettled = ({ first, behind, unlisted }: Awaited<ReturnType<typeof look>>) =>
    first.length > 0 || behind.length + unlisted.length === 0;
  const reading = own === undefined ? look : () => untilKnown(look, context.delay);
  const { now, first, unlisted } = await waitForChange(reading, isSettled, context.delay);
  return { now, first: [...first, ...unlisted] };
}

function orderOf(a: Build, b: Build): Order {
  return order(buildFact(a).created, buildFact(b).created);
}

/** A new app has no builds. */
async function list(api: Api, project: string, app: string): Promise<Build[]> {
  return (await unlessMissing(api(listBuilds, { project, app }))) ?? [];
}

function names(builds: readonly Build[]): string {
  const ids = builds.map(({ id, status }) => `${shortBuild(id)} (${status})`).join(', ');
  return builds.length === 1 ? `build ${ids}` : `builds ${ids}`;
}

/** Without a list of builds, nothing is known to be in progress. */
function timeoutError(app: string, [first, ...more]: readonly Build[], time: string): GantryError {
  if (!first) {
    const facts = { why: 'other builds may be in progress', details: { app } };
    return new UnavailableError(`the builds of ${app} could not be listed within ${time}`, facts);
  }
  const details = { app, builds: [first, ...more].map(({ id }) => id) };
  const fix = gantryCommand`builds cancel ${app} ${first.id}`;
  return new PendingError(`${names([first, ...more])} of ${app} still in progress after ${time}`, { fix, details });
}
