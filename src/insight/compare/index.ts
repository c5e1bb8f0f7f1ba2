import { compareListings, type FileChanges, listFiles, resolveBuild } from '../../deploys/builds/index.ts';
import { type AppHistory, changedSettings, recordLook, settingKey } from '../../deploys/history/index.ts';
import { buildsText, readingOf } from '../../deploys/observe.ts';
import { pastOf, type ServingTime, servingTimes } from '../../deploys/serving.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { dayMs } from '../../kernel/durations.ts';
import { NotFoundError, UsageError } from '../../kernel/errors.ts';
import { withNulls } from '../../kernel/json-text.ts';
import type { Context } from '../../platform/context.ts';
import { liveBuild } from '../../platform/contract/apps.ts';
import { listBuilds } from '../../platform/contract/builds.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { isRefusal, unless } from '../../platform/waiting/index.ts';
import { callsWithin, readRunDays } from '../run-mirror/index.ts';
import { allHours, type BuildSamples, CallSorter } from './build-samples.ts';
import { judgeCalls } from './judge-calls.ts';

export { type BuildVerdict, buildVerdicts, curvePoints, type Durations } from './judge-calls.ts';

/** Two builds of an app, by their calls. Null is what is not known. */
export type Comparison = Awaited<ReturnType<typeof compareBuilds>>;

interface CompareBuildsOptions {
  app: string;
  /** As typed. One alone is compared with the build that serves. */
  builds: readonly string[];
  /** In ms since 1970, from the time of the platform. */
  since: ((now: number) => number) | undefined;
}

/** The latest days of each build are enough. */
const maxPeriodMs = 7 * dayMs;

/**
 * Compares the calls of two builds, by default of the one that serves and the one before. Throws NotFoundError, UsageError.
 */
export async function compareBuilds(context: Context, options: CompareBuildsOptions) {
  const { api, project } = context;
  const { app } = options;
  const name = shortAppName(project, app);
  const deployed = await fetchApp(api, { project, app });
  const history = await recordLook(context, name, deployed);
  const listed = await unless(isRefusal, api(listBuilds, { project, app }));
  const times = servingTimes(pastOf(listed ?? [], history));
  const live = liveBuild(deployed);
  const chosen = await chooseBuilds(context, options, times, live);
  const now = context.platformNow();
  const { serving } = readingOf(context, deployed, listed);
  const others = serving.is === 'one of' ? serving.builds.filter((build) => build !== live) : [];
  if (others.length > 0 && options.builds.length < 2) {
    context.progress.warn(`${buildsText(others)} of ${name} is ready, and may serve by now`);
  }
  const since = options.since?.(now) ?? 0;
  const [before, after] = chosen.map((time) => latestPart(time, now, since)) as [ServingTime, ServingTime];
  const sorter = new CallSorter(before, after);
  const missing = await readCalls(context, app, [before, after], sorter);
  const { hours, samples } = sorter.equalHours();
  const { verdict, runTime, coldStart, errors } = judgeCalls(samples);
  const files = await changedFiles(context, app, before.build, after.build);
  return {
    app: name,
    verdict,
    before: callsOf(before, samples.before),
    after: callsOf(after, samples.after),
    hours,
    files,
    settings: settingsBetween(history, before.build, after.build),
    runTime,
    coldStart,
    errors,
    missing,
    unattributed: sorter.unattributed,
  };
}

async function findServed(context: Context, app: string, word: string, times: readonly ServingTime[]) {
  const build = await resolveBuild(context, app, word);
  const time = times.find((each) => each.build === build || each.build.startsWith(word));
  if (time) return time;
  throw new NotFoundError(`${app} has not served ${word}`, { fix: gantryCommand`builds list ${app}` });
}

/** `times`: oldest first. One that has no time of its own may never have served. */
async function chooseBuilds(
  context: Context,
  { app, builds: [first, second] }: CompareBuildsOptions,
  times: readonly ServingTime[],
  live: string | undefined,
): Promise<ServingTime[]> {
  const find = (word: string) => findServed(context, app, word, times);
  const after = second === undefined ? (times.find(({ build }) => build === live) ?? times.at(-1)) : await find(second);
  const isBefore = ({ since, until }: ServingTime) => since < until && until <= Number(after?.since);
  const before = first === undefined ? times.findLast(isBefore) : await find(first);
  if (!after || !before) {
    throw new NotFoundError(`${app} has served no other build`, {
      why: 'two builds are compared by the calls that they handled',
      fix: gantryCommand`builds list ${app}`,
    });
  }
  if (before === after) throw new UsageError('a build cannot be compared with itself');
  return [before, after];
}

function latestPart(time: ServingTime, now: number, earliest: number): ServingTime {
  const until = Math.min(time.until, now);
  const since = Math.min(until, Math.max(time.since, until - maxPeriodMs, earliest));
  return { ...time, since, until };
}

/** Returns how many calls are missing. */
async function readCalls(context: Context, app: string, builds: [ServingTime, ServingTime], sorter: CallSorter) {
  const [first, last] = builds[0].since <= builds[1].since ? builds : (builds.toReversed() as typeof builds);
  // What lies between two builds that follow one another is read as well: replicas of the first may finish in it.
  const isOneRange = last.since - first.until < dayMs;
  const ranges = isOneRange ? [{ since: first.since, until: last.until }] : [first, last];
  let missing = 0;
  for (const { since, until } of ranges.filter((range) => range.since < range.until)) {
    for await (const day of readRunDays(context, { app, since, until })) {
      sorter.add(day, callsWithin(day, { since, until }));
      const gaps = day.gaps.filter(({ from, to }) => to >= since && from <= until);
      for (const gap of gaps) missing += gap.missing;
    }
  }
  // Where one number is not known, the sum is none.
  return Number.isNaN(missing) ? null : missing;
}

function callsOf({ build, since, until }: ServingTime, samples: readonly BuildSamples[]) {
  const { errors, coldStarts } = allHours(samples);
  const time = (ms: number) => new Date(ms).toISOString();
  return { build, since: time(since), until: time(until), calls: errors.calls, failed: errors.failed, coldStarts };
}

/** Null if the platform lists those of one of them not. */
async function changedFiles(context: Context, app: string, before: string, after: string): Promise<FileChanges | null> {
  const { api, project } = context;
  const read = (build: string) => unless(isRefusal, listFiles(api, { project, app, build }));
  const [first, second] = await Promise.all([read(before), read(after)]);
  return first?.length && second?.length ? compareListings(first, second) : null;
}

/** Null if the history does not know those of both. */
function settingsBetween(history: AppHistory, before: string, after: string) {
  const settings = history.settingsOf(before);
  const other = history.settingsOf(after);
  if (!settings || !other) return null;
  const changed = changedSettings(settings, other);
  return Object.keys(changed.after).map((name) =>
    withNulls({ setting: settingKey(name), from: changed.before[name], to: changed.after[name] }),
  );
}
