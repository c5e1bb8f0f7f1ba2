import { relative } from 'node:path';
import type { AppConfig } from '../../app/config.ts';
import type { FollowedLog, LogEnding, WorkLine } from '../../calls/logs/index.ts';
import type { SeenInFiles } from '../../causes/index.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { BuildFailedError, type GantryError, NotFoundError, NotReadyError, UsageError } from '../../kernel/errors.ts';
import { duration, latestFirst, shortBuild } from '../../kernel/output/format.ts';
import type { Api } from '../../platform/api/client.ts';
import type { Context } from '../../platform/context.ts';
import type { App } from '../../platform/contract/apps.ts';
import {
  type Build,
  buildHasFailed,
  buildPhase,
  cancelBuild,
  getBuild,
  getBuildZipContents,
  hasNotStarted,
  isCanceled,
  listBuilds,
  ownStatus,
} from '../../platform/contract/builds.ts';
import { findByBeginning, noneFound, readIdWord } from '../../platform/ids.ts';
import { expectId, fetchApp } from '../../platform/replies/index.ts';
import {
  Deadline,
  type PolledWork,
  type PollOptions,
  pollUntil,
  type RemoteWork,
  throwUnlessTransient,
  unfinishedError,
} from '../../platform/waiting/index.ts';
import { parseZipContents } from './compare-listings.ts';

/** Reads one build. Throws UnexpectedReplyError if the platform replies with another one. */
export async function fetchBuild(api: Api, params: { project: string; app: string; build: string }): Promise<Build> {
  return expectId('build', params.build, await api(getBuild, params));
}

/** The files of a build, as far as the platform lists them. */
export async function listFiles(api: Api, params: { project: string; app: string; build: string }) {
  const { zipFiles } = await api(getBuildZipContents, params);
  return parseZipContents(zipFiles).filter(({ path }) => !path.endsWith('/'));
}

/** When a build ended; undefined if it is in progress. Throws as the request does. */
export async function readBuildEnding(context: Context, app: string, build: string): Promise<LogEnding | undefined> {
  const { api, project } = context;
  const { status, updatedAt } = await fetchBuild(api, { project, app, build });
  const { endingOf } = await import('../../calls/logs/index.ts');
  return buildPhase(status) === 'in progress' ? undefined : endingOf(context, updatedAt);
}

/** A build as something that can be canceled. */
export function remoteBuild(project: string, app: string, build: string): RemoteWork {
  const params = { project, app, build };
  return {
    kind: 'build',
    app,
    id: build,
    async readStatus(api) {
      const { status } = await fetchBuild(api, params);
      return { status: ownStatus(status), hasEnded: buildPhase(status) !== 'in progress' };
    },
    isListed: async (api) => (await api(listBuilds, { project, app })).some(({ id }) => id === build),
    cancel: (api) => api(cancelBuild, params),
  };
}

type ProjectContext = Pick<Context, 'api' | 'project'>;

/** The id of an app's latest build. One that has nothing but jobs has none. */
export function latestBuildOf({ latestBuildId, latestCreatedBuildId }: App): string | undefined {
  return latestBuildId || latestCreatedBuildId || undefined;
}

/** A UUID is not looked up, and another form need not be listed. Throws NotFoundError, UsageError. */
export async function resolveBuild(source: ProjectContext, app: string, word: string | undefined): Promise<string> {
  const wanted = readIdWord(word);
  if ('id' in wanted && !wanted.mayBeBeginning) return wanted.id;
  if ('latest' in wanted && wanted.latest === 'any') {
    const build = latestBuildOf(await fetchApp(source.api, { project: source.project, app }));
    if (build === undefined) throw new NotFoundError(`${app} has no builds yet`, { fix: gantryCommand`deploy` });
    return build;
  }
  const typed = word ?? '';
  const unlisted = 'id' in wanted ? wanted.id : undefined;
  const listed = await findListedBuild(source, app, typed).catch((error: unknown) => {
    if (unlisted === undefined || error instanceof UsageError) throw error;
  });
  const id = listed?.id ?? unlisted;
  if (id === undefined) throw noneFound(typed, { noun: 'build', app, list: gantryCommand`builds list ${app}` });
  return id;
}

/** The build of a word, if the platform lists it. */
export async function findListedBuild(
  { api, project }: ProjectContext,
  app: string,
  word: string,
): Promise<Build | undefined> {
  const wanted = readIdWord(word);
  const items = (await api(listBuilds, { project, app })).sort(latestFirst(({ createdAt }) => createdAt));
  if (!('latest' in wanted)) {
    return findByBeginning(word, { noun: 'build', app, items, list: gantryCommand`builds list ${app}` });
  }
  return items.find(({ status }) => hasResult[wanted.latest](status));
}

const hasResult = {
  any: () => true,
  succeeded: (status: string) => buildPhase(status) === 'succeeded',
  failed: buildHasFailed,
};

export interface FollowBuildOptions {
  app: string;
  build: string;
  logs: boolean;
  pauses?: PollOptions<Build>['pauses'] | undefined;
  /** It is shown already, by this log. */
  shown?: FollowedLog;
  /** Stop waiting after this time, in ms; the build continues. */
  timeoutMs: number;
  /** The app of the build; by default the one in this folder, if that is the app. */
  config?: AppConfig | undefined;
  /** What its files show. */
  seen?: SeenInFiles | undefined;
  /** Another command started the build: if the first poll shows its end, its duration is unknown. */
  startedBefore?: true;
}

/** How long a build that is good or canceled waits for the rest of its log, in ms. The end of a failed one has the cause. */
const goodLogMs = 2_000;
const tailLines = 20;
/** Short at first: many builds fail immediately. */
const defaultPauses = { firstMs: 100, maxMs: 1_000, growth: 1.5 };

/** The polled status decides, never the log. Throws BuildFailedError, NotReadyError, PendingError, UnavailableError. */
export async function followBuild(context: Context, options: FollowBuildOptions): Promise<Build> {
  const { progress, elapsed } = context;
  const { app } = options;
  const started = elapsed();
  const step = progress.step(`Building ${app}`);
  let polls = 0;
  const wasDone = () => options.startedBefore && polls === 1;
  try {
    const build = await waitForEnd(context, options, (status) => {
      polls++;
      // How it ended is said below, in words.
      if (buildPhase(status) === 'in progress') step.update({ text: `${status}, ${duration(elapsed() - started)}` });
    });
    step.done(wasDone() ? `${app} is already built` : `Built in ${duration(elapsed() - started)}`);
    return build;
  } catch (error) {
    // What continues has not failed, and what had failed before was not followed.
    const hasFailed = error instanceof BuildFailedError || error instanceof NotReadyError;
    if (hasFailed && !wasDone()) step.fail();
    else step.clear();
    await (await import('../../causes/index.ts')).addCause(context, error, options.config, options.seen);
    throw error;
  }
}

async function waitForEnd(context: Context, options: FollowBuildOptions, onStatus: (status: string) => void) {
  const { app, build, logs, timeoutMs, startedBefore, pauses = defaultPauses } = options;
  const { buildLogSource, endingOf, WorkLog } = await import('../../calls/logs/index.ts');
  let status = '';
  let unread: GantryError | undefined;
  const deadline = new Deadline(context, timeoutMs, (saidMs) =>
    unfinishedError(workOf(options), { saidMs, status, failure: unread, startedBefore }),
  );
  const onFailure = (error: unknown, silentMs: number) => {
    const ageMs = startedBefore ? undefined : deadline.waitedMs;
    const shownMs = status ? silentMs : undefined;
    unread = throwUnlessTransient(error, silentMs, { ...workOf(options), ageMs, shownMs });
  };
  const onLine = ({ line, loggedAt }: WorkLine) => {
    context.progress.log(line);
    context.progress.event('log', { build, loggedAt, line });
  };
  const log =
    options.shown ??
    new WorkLog(context, {
      source: (client) => buildLogSource(client, app, build),
      name: 'build log',
      deadline,
      ...(logs && { onLine }),
    });
  let wasSeen = !startedBefore;
  const explain = explainSilence(context, options);
  try {
    const poll: PollOptions<Build>['poll'] = (api) => fetchBuild(api, { project: context.project, app, build });
    const state = await pollUntil(context, { poll, deadline, pauses, onFailure }, async (polled) => {
      if (polled.status !== status) context.progress.event('status', { build, status: ownStatus(polled.status) });
      status = polled.status;
      unread = undefined;
      onStatus(status);
      if (buildPhase(status) !== 'in progress') return polled;
      wasSeen = true;
      if (logs || deadline.waitedMs > unseenLogMs) log.follow();
      await explain(status, log.tail());
      return undefined;
    });
    const failed = buildPhase(state.status) === 'failed';
    const limitMs = buildHasFailed(state.status) ? undefined : goodLogMs;
    const ending = endingOf(context, wasSeen ? null : state.updatedAt, limitMs);
    const later = logs ? gantryCommand`logs ${app} --build ${build}` : undefined;
    if (logs || failed) await log.finish(ending, later);
    if (failed) throw failure(state, options, log);
    return state;
  } finally {
    await log.abort();
  }
}

/** After how long a log that is not shown is read for causes, in ms. */
const unseenLogMs = 10_000;
/** How long a log must show nothing new before what it has shown of a start is explained, in ms. */
const quietStartMs = 20_000;

/**
 * Returns what is called at each poll of a build. Once the log shows nothing new for a while, it warns of what keeps the app
 * from getting ready, if the log shows that: each check of it may be a line. The build goes on: the app may still start to
 * listen elsewhere.
 */
function explainSilence(context: Context, { app, config }: { app: string; config?: AppConfig | undefined }) {
  const { cwd, elapsed, env, progress, signal } = context;
  const started = elapsed();
  /** Lines without what differs from one to the next: times, ports and counts. */
  const shapes = new Set<string>();
  let last = { shapes: 0, since: started, isExplained: true };
  return async (status: string, log: readonly string[]): Promise<void> => {
    for (const line of log.slice(-tailLines)) shapes.add(line.replaceAll(/\d+/g, '0'));
    if (last.shapes < shapes.size) last = { shapes: shapes.size, since: elapsed(), isExplained: false };
    if (last.isExplained || elapsed() - last.since < quietStartMs) return;
    last.isExplained = true;
    const { explainStart, locateCause } = await import('../../causes/index.ts');
    const text = log.join('\n');
    const explanation = explainStart(text, { config, status: ownStatus(status) });
    if (!explanation) return;
    const { cause, title, fix } = explanation;
    const shownAs = config ? relative(cwd, config.file) : '';
    const location = await locateCause({ cwd, env, signal }, text, explanation, config, shownAs);
    const message = `${app} is not ready after ${duration(elapsed() - started)}: ${title}`;
    progress.warn({ severity: 'warning', cause, message, location, why: explanation.evidence?.text, fix });
  };
}

function failure(build: Build, { app, logs, shown }: FollowBuildOptions, log: FollowedLog): GantryError {
  const tail = log.tail(tailLines);
  const reason = build.initError || undefined;
  // A reason of several lines is the end of the log.
  const shownAlready = logs || tail.length === 0 || reason?.includes('\n');
  const why = [reason, shownAlready ? undefined : `end of the log:\n${tail.join('\n')}`].filter(Boolean).join('\n');
  const facts = {
    ...(why ? { why } : {}),
    ...(shown
      ? { next: gantryCommand`builds get ${app} ${shortBuild(build.id)}` }
      : { fix: gantryCommand`logs ${app} --build ${shortBuild(build.id)}` }),
    details: {
      app,
      build: build.id,
      status: ownStatus(build.status),
      reason: reason ?? null,
      ...(!shown && { log: tail }),
    },
    log: log.tail(),
  };
  if (hasNotStarted(build.status))
    return new NotReadyError(`${app} was built but did not start (${build.status})`, facts);
  const ended = isCanceled(build.status) ? 'was canceled' : `failed (${build.status})`;
  return new BuildFailedError(`build ${shortBuild(build.id)} of ${app} ${ended}`, facts);
}

function workOf({ app, build }: FollowBuildOptions): PolledWork {
  return {
    name: `build ${shortBuild(build)} of ${app}`,
    fix: gantryCommand`logs ${app} --build ${build} -f`,
    details: { app, build },
  };
}
