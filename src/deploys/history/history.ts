import { join } from 'node:path';
import { count } from '../../kernel/output/format.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { platformOf, type StateKey, stateKey } from '../../platform/config/state-key.ts';
import type { Context } from '../../platform/context.ts';
import { type App, liveBuild } from '../../platform/contract/apps.ts';
import { type Build, buildPhase, listBuilds } from '../../platform/contract/builds.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { tryRequest } from '../../platform/waiting/index.ts';
import { AppHistory } from './app-history.ts';
import { EventLog, type EventsRead } from './event-log.ts';
import type { EventName, Facts, HistoryEvent } from './events.ts';
import { describeOrigin } from './origin.ts';
import { changedSettings, shownSettings } from './shown-settings.ts';
import { mergeEvents, readTeamEvents, shareEvent } from './team-events.ts';

/**
 * What is known of an app: on this machine, and by its team. An unreadable line is skipped with a warning. Throws
 * FailedError if this machine's cannot be read at all.
 */
export async function readHistory(context: Context, app: string): Promise<AppHistory> {
  const [own, team] = await Promise.all([
    logOf(context, app).read(context.platformNow()),
    readTeamEvents(context, shortAppName(context.project, app)),
  ]);
  const unreadable = own.unreadable + team.unreadable;
  if (unreadable > 0) context.progress.warn(`skipped ${count(unreadable, 'unreadable line')} in the history of ${app}`);
  return new AppHistory(mergeEvents(own.events, team.events));
}

/** The runs of files that this machine has started by now, and its team when the command first asked. Best effort. */
export async function readJobs(context: Context, app: string): Promise<Set<string>> {
  const log = logOf(context, app);
  const shared = teamEvents.get(log) ?? readTeamEvents(context, shortAppName(context.project, app)).catch(noEvents);
  teamEvents.set(log, shared);
  const read = await Promise.all([log.read(context.platformNow()).catch(noEvents), shared]);
  return new Set(read.flatMap(({ events }) => events.flatMap((event) => (event.event === 'job' ? event.run : []))));
}

const teamEvents = new WeakMap<EventLog, Promise<EventsRead>>();
const noEvents = (): EventsRead => ({ events: [], unreadable: 0 });

/** Writes an event down, and returns it. Best effort: no command fails because it cannot. */
export async function recordEvent<Name extends EventName>(
  context: Context,
  app: string,
  event: Name,
  facts: Facts<Name>,
  at?: string,
): Promise<HistoryEvent> {
  const log = logOf(context, app);
  const time = at ?? new Date(await log.timeOf(context.platformNow())).toISOString();
  const written = { at: time, event, by: describeOrigin(context.env), ...facts } as HistoryEvent;
  try {
    await log.append(written);
    await shareEvent(context, shortAppName(context.project, app), written);
  } catch (error) {
    context.trace(`cannot write the history of ${app}: ${(error as Error).message}`);
  }
  return written;
}

/**
 * Writes down what a reply of get app shows and the history does not know: another build that serves, or settings that
 * no command on record changed. Called where a command has read the app anyway. Returns the history with it.
 */
export async function recordLook(context: Context, name: string, app: App): Promise<AppHistory> {
  const history = await withoutOther(context, name, app, await readHistory(context, name));
  const build = liveBuild(app);
  if (build === undefined) return history;
  const settings = shownSettings(app);
  const before = history.served()?.build ?? null;
  const known = before === build ? history.settingsOf(build) : undefined;
  const change = known ? changedSettings(known, settings) : undefined;
  if (change && Object.keys(change.after).length === 0) return settleRollbacks(context, name, history);
  const event = change
    ? await recordEvent(context, name, 'noticed', { build, ...change })
    : await recordEvent(context, name, 'served', { build, before: before === build ? null : before, settings });
  return settleRollbacks(context, name, history.with(event));
}

/**
 * Writes down the end of rollbacks that nobody saw: one whose build was seen to serve, or is listed as ready, has rolled
 * back, whatever serves by now.
 */
export async function settleRollbacks(
  context: Context,
  app: string,
  history: AppHistory,
  listed: readonly Build[] = [],
): Promise<AppHistory> {
  let settled = history;
  for (const { began, ended } of history.rollbacks()) {
    const { from, to, as, reason, at } = began;
    const look = history.looks().find(({ build }) => build === as);
    const ready = listed.find(({ id, status }) => id === as && buildPhase(status) === 'succeeded');
    if (ended || !(look || ready)) continue;
    // When it went live, not now: what was found since is later.
    const since = Math.max(Date.parse(at), Date.parse(ready?.updatedAt ?? '') || (look?.at ?? 0));
    const facts = { from, to, as, reason, isNoticed: true };
    settled = settled.with(await recordEvent(context, app, 'rolled-back', facts, new Date(since).toISOString()));
  }
  return settled;
}

/**
 * An app that was created since the last look is another one, if the build that served then is gone: somebody deleted that
 * one elsewhere. What is on record of it is not about this one.
 */
async function withoutOther(context: Context, name: string, app: App, history: AppHistory): Promise<AppHistory> {
  const { project } = context;
  const last = history.served();
  const createdAt = Date.parse(app.createdAt ?? '');
  if (!last || !(createdAt > Date.parse(last.at))) return history;
  const builds = await tryRequest(context, (api) => api(listBuilds, { project, app: name }));
  if (!builds || builds.length === 0 || builds.some(({ id }) => id === last.build)) return history;
  // What this machine has done with the new one came after it.
  const at = new Date(Math.max(Date.parse(last.at) + 1, createdAt - clockErrorMs)).toISOString();
  await recordEvent(context, name, 'deleted', { isNoticed: true }, at);
  return readHistory(context, name);
}

/** Times of this machine are those of the platform's last reply, in whole seconds. */
const clockErrorMs = 2_000;

/** What this machine knows of an app of any platform, however old it is. Throws FailedError if it cannot be read. */
export async function readOwnHistory(settings: Settings, app: StateKey): Promise<AppHistory> {
  return new AppHistory((await new EventLog(fileOf(settings, app)).read(0)).events);
}

/** Removes what this machine has on record of an app. Best effort. */
export async function forgetHistory(context: Context, app: string): Promise<void> {
  await logOf(context, app)
    .remove()
    .catch(() => {});
}

/** The same for all of a command, which keeps what it has read of it. */
function logOf({ settings, project }: Context, name: string): EventLog {
  const key = stateKey(platformOf(settings), project, shortAppName(project, name));
  const known = logs.get(settings) ?? new Map<string, EventLog>();
  logs.set(settings, known);
  const log = known.get(key) ?? new EventLog(fileOf(settings, key));
  known.set(key, log);
  return log;
}

/** In place of an app: what is on record of all apps of a project. */
export const allApps = '(project)';
const fileOf = ({ folders }: Settings, key: StateKey) => join(folders.state, 'history', `${key}.jsonl`);

const logs = new WeakMap<Settings, Map<string, EventLog>>();
