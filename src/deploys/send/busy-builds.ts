import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { isAlive, parseOwnerName } from '../../kernel/disk/index.ts';
import { hourMs } from '../../kernel/durations.ts';
import { ConflictError, type GantryError, PendingError, UnavailableError } from '../../kernel/errors.ts';
import { once, onceFor } from '../../kernel/once.ts';
import { duration, localTime, shortBuild, toMs } from '../../kernel/output/format.ts';
import type { Api } from '../../platform/api/client.ts';
import type { Context } from '../../platform/context.ts';
import { type Build, buildPhase, listBuilds } from '../../platform/contract/builds.ts';
import {
  cancelAbandoned,
  cancelRemoteWork,
  Deadline,
  pollUntil,
  type TimeLimit,
  throwUnlessTransient,
  unlessMissing,
  untilKnown,
} from '../../platform/waiting/index.ts';
import { remoteBuild } from '../builds/index.ts';
import { type BeforeFacts, beforeFacts, firstTrue } from '../decide.ts';
import { readHistory } from '../history/index.ts';
import { type AppReading, observe, platformTime } from '../observe.ts';
import { buildFact, order } from '../serving.ts';
import { recordEnded } from './failed-build.ts';

/** Times in ms. */
const pauses = { firstMs: 250, maxMs: 2_000, growth: 1.5 };

/** What a deploy does about other builds of the app that are in progress. */
export const busyPolicies = beforeFacts.ifBusy;
export type BusyPolicy = BeforeFacts['ifBusy'];

/** Those in progress that are no part of this deploy are only noted. */
export async function noteBusyBuilds(context: Context, app: string, builds: readonly Build[]) {
  const busy = await whichCanStart(context, app, builds);
  const note = `${names(busy)} of ${app} in progress; this deploy does not wait (--if-busy wait)`;
  if (busy.length > 0) context.progress.note(note);
}

export async function cancelBusyBuilds(context: Context, app: string, busy: readonly Build[]): Promise<void> {
  for (const { id } of busy) await cancelRemoteWork(context, remoteBuild(context.project, app, id), async () => {});
  context.progress.note(`canceled ${names(busy)} of ${app}`);
}

export function busyError(app: string, busy: readonly Build[]): ConflictError {
  const details = { app, builds: busy.map(({ id }) => id) };
  return new ConflictError(`${names(busy)} of ${app} in progress`, { retryWith: ['--if-busy', 'wait'], details });
}

/**
 * Builds end in the order in which they were created, also if deploys start at once. `created`: only those before this one.
 * Returns whether it waited.
 */
export async function waitForBuilds(context: Context, limit: TimeLimit, app: string, created?: OwnBuild) {
  const { elapsed, progress, project } = context;
  const ownId = created?.buildId;
  const started = elapsed();
  let busy: Build[] = [];
  const step = once(() => progress.step(`Waiting for other builds of ${app}`));
  const told = new Set<string>();
  const tellEnd = (id: string) => {
    const end = sentence`if the deploy of build ${shortBuild(id)} has ended: ${gantryCommand`builds cancel ${app} ${id}`}`;
    if (told.size < told.add(id).size) progress.note(end);
  };
  const work = { name: `the builds of ${app}`, fix: gantryCommand`builds list ${app}`, details: { app } };
  const hasEnded = async (builds: readonly Build[]) => {
    const ownBuild = builds.find(({ id }) => id === ownId);
    const others = await whichCanStart(
      context,
      app,
      builds.filter(({ id }) => id !== ownId),
    );
    const earlier = ownBuild ? others.filter((build) => goesBefore(build, ownBuild)) : others;
    if (earlier.length === 0)
      return created && ownBuild && unplacedMs(context, created, ownBuild) > 0 ? undefined : true;
    busy = earlier;
    step().update({ text: [names(busy), ...busy.flatMap(filesText)].join('; ') });
    for (const { id, status } of busy) if (isPending(status)) tellEnd(id);
    return undefined;
  };
  try {
    await limit.wait((ms) => {
      const deadline = new Deadline(context, ms, (saidMs) => timeoutError(app, busy, saidMs));
      const onFailure = (error: unknown, silentMs: number) =>
        void throwUnlessTransient(error, silentMs, ownId ? { ...work, ageMs: deadline.waitedMs } : work);
      return pollUntil(context, { poll: (api) => list(api, project, app), deadline, pauses, onFailure }, hasEnded);
    });
  } catch (error) {
    if (busy.length > 0) step().fail();
    throw error;
  }
  if (busy.length === 0) return false;
  step().done(`Waited ${duration(elapsed() - started)} for other builds of ${app}`);
  return true;
}

/** A build that this deploy has created. `at`: when that was confirmed, by what has elapsed, in ms. */
interface OwnBuild {
  buildId: string;
  at: number;
}

/** How long another one may still be created in the same moment, and go first by its id, in ms. Times may be whole seconds. */
function unplacedMs({ elapsed }: Context, { at }: OwnBuild, listed: Build): number {
  const { created } = buildFact(listed);
  return Number.isFinite(created.before) ? at + created.before - created.from - elapsed() : 0;
}

/** Where times do not tell, those that have started go first, and of the others each may wait: their ids decide. */
function goesBefore(other: Build, ownBuild: Build): boolean {
  const byTime = order(buildFact(other).created, buildFact(ownBuild).created);
  return byTime === 'unknown' ? !isPending(other.status) || other.id < ownBuild.id : byTime === 'before';
}

/** The builds of an app that will still change by themselves, without known ones. */
export function inProgress({ list, at }: AppReading, except: readonly string[] = []): Build[] {
  return list.filter((build) => isBusy(build) && !isExpired(build, at) && !except.includes(build.id));
}

/** An app right before the upload of our own build, and the builds that go first. Each deploy looks: all but the first give up. */
export async function lookBeforeUpload(context: Context, app: string, except: readonly string[], created?: OwnBuild) {
  const look = () => observe(context, app);
  const now = await (created ? untilKnown(look, context.delay) : look());
  const ours = now.list.find(({ id }) => id === created?.buildId);
  const waitMs = created && ours ? unplacedMs(context, created, ours) : 0;
  if (waitMs > 0) {
    await context.delay(waitMs);
    return lookBeforeUpload(context, app, except, created);
  }
  const isFirst = (other: Build) => !ours || !isPending(other.status) || goesBefore(other, ours);
  return { now, first: inProgress(now, except).filter((other) => other !== ours && isFirst(other)) };
}

/** A new app has no builds. */
async function list(api: Api, project: string, app: string): Promise<Build[]> {
  return (await unlessMissing(api(listBuilds, { project, app }))) ?? [];
}

function names(builds: readonly Build[]): string {
  const ids = builds.map(({ id, status }) => `${shortBuild(id)} (${status})`).join(', ');
  return builds.length === 1 ? `build ${ids}` : `builds ${ids}`;
}

/** Until when a build without files is waited for: that its deploy was killed elsewhere is not shown. */
function filesText({ id, status, createdAt }: Build): string[] {
  const until = new Date(toMs(createdAt) + maxPendingMs);
  if (!isPending(status) || Number.isNaN(until.getTime())) return [];
  return [`${shortBuild(id)} has no files yet, and cannot get them after ${localTime(until.toISOString())}`];
}

/** Without a list of builds, nothing is known to be in progress. */
function timeoutError(app: string, busy: readonly Build[], ms: number): GantryError {
  const time = duration(ms);
  if (busy.length === 0) {
    const facts = { why: 'other builds may be in progress', details: { app } };
    return new UnavailableError(`the builds of ${app} could not be listed within ${time}`, facts);
  }
  const details = { app, builds: busy.map(({ id }) => id) };
  const retryWith = ['--timeout', `${1 + Math.ceil(ms / hourMs)}h`];
  return new PendingError(`${names(busy)} of ${app} still in progress after ${time}`, { retryWith, details });
}

/** The life of an upload URL (docs/platform.md#uploads), and what an upload that began in time may take. In ms. */
const maxPendingMs = 600_000 + 60_000;
/** How long an upload of the team may take, by a line of one megabit a second. In ms. */
const maxUploadMs = (bytes = 0) => 60_000 + bytes / 125;

/** Whether a build waits for its upload. */
export function isPending(status: string): boolean {
  return /^pending$/i.test(status);
}

/** Whether a build will still change by itself. */
export function isBusy({ status }: Pick<Build, 'status'>): boolean {
  return status !== '' && buildPhase(status) === 'in progress';
}

/** Whether a build waits for an upload whose URL has expired. `now`: by the platform's clock. */
export function isExpired({ status, createdAt }: Build, now: number): boolean {
  return isPending(status) && now - toMs(createdAt) > maxPendingMs;
}

/** The builds in progress that can still start: nobody waits for one whose upload never comes. Each of these is named once. */
export async function whichCanStart(context: Context, app: string, builds: readonly Build[]): Promise<Build[]> {
  const now = platformTime(context);
  const busy: Build[] = [];
  for (const build of builds.filter(isBusy)) {
    const proof = isPending(build.status) ? await findProof(context, app, build, now) : undefined;
    if (proof) await tell(context, app, build, proof);
    else busy.push(build);
  }
  return busy;
}

/** What shows that nobody uploads a pending build any more. `isOwn`: a deploy of this machine left it, for certain. */
async function findProof(
  context: Context,
  app: string,
  build: Build,
  now: number,
): Promise<AbandonedProof | undefined> {
  const name = `build ${shortBuild(build.id)} of ${app}`;
  if (isExpired(build, now)) {
    const age = duration(now - toMs(build.createdAt));
    return { message: `${name} cannot start any more: it is pending for ${age}, and its upload URL has expired` };
  }
  const owner = parseOwnerName((await readHistory(context, app)).lastOf('created', build.id)?.process ?? '');
  const isRunning = owner && isAlive(owner);
  if (isRunning) return undefined;
  // A process may have uploaded its build before it ended.
  const sent = (await readHistory(context, app)).sent(build.id);
  if (sent !== undefined && !sent.unconfirmed) return undefined;
  const sendingMs = now - toMs(sent?.at);
  const isOver = sendingMs > maxUploadMs(sent?.bytes);
  const began = isOver ? duration(sendingMs) : '';
  const killed = `${name} never got its files: the deploy that created it from here was killed`;
  return firstTrue<AbandonedProof>([
    [isRunning === false, { message: killed, isOwn: true }],
    [isOver, { message: `nothing has come of ${name}, whose upload by ${sent?.by} began ${began} ago` }],
  ]);
}

/** Builds that were named, of each command. */
const namedBuilds = new WeakMap<Context['settings'], Set<string>>();

async function tell(context: Context, app: string, { id }: Build, { message, isOwn }: AbandonedProof): Promise<void> {
  const named = onceFor(namedBuilds, context.settings, () => new Set<string>());
  if (named.size === named.add(id).size) return;
  const fix = gantryCommand`builds cancel ${app} ${id}`;
  if (!isOwn) return context.progress.warn({ severity: 'warning', message, fix });
  context.progress.note(message);
  const status = await cancelAbandoned(context, remoteBuild(context.project, app, id));
  if (status === 'canceled') await recordEnded(context, app, id, 'the deploy that created it was killed');
}

interface AbandonedProof {
  message: string;
  isOwn?: true;
}
