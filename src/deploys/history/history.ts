import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { toDiskError } from '../../kernel/disk/index.ts';
import { isCi, readVariable, type Variable } from '../../kernel/environment.ts';
import { stringifyJson, tryParseJson } from '../../kernel/json-text.ts';
import { onceFor } from '../../kernel/once.ts';
import { count } from '../../kernel/output/format.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { platformOf, type StateKey, stateKey } from '../../platform/config/state-key.ts';
import type { Context } from '../../platform/context.ts';
import { type App, liveBuild } from '../../platform/contract/apps.ts';
import type { Build } from '../../platform/contract/builds.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { documentName, documentTime, type TeamState, teamStateOf } from '../team-state/index.ts';
import { AppHistory } from './app-history.ts';
import {
  type EventFacts,
  EventLog,
  type EventName,
  type EventsRead,
  type HistoryEvent,
  maxHistoryBytes,
  maxHistoryMs,
  parseEvent,
} from './event-log.ts';
import { changedSettings, shownSettings } from './followed-settings.ts';

/** The history of this machine and its team. Throws FailedError if this machine's cannot be read at all. */
export async function readHistory(context: Context, app: string): Promise<AppHistory> {
  const [machine, team] = await Promise.all([
    logOf(context, app).read(context.platformNow()),
    readTeamEvents(context, shortAppName(context.project, app)),
  ]);
  const unreadable = machine.unreadable + team.unreadable;
  if (unreadable > 0) context.progress.warn(`skipped ${count(unreadable, 'unreadable line')} in the history of ${app}`);
  return new AppHistory(mergeEvents(machine.events, team.events));
}

/** The runs of files that this machine has started by now, and its team when the command first asked. Best effort. */
export async function readJobs(context: Context, app: string): Promise<Set<string>> {
  const log = logOf(context, app);
  const readShared = () => readTeamEvents(context, shortAppName(context.project, app)).catch(noEvents);
  const shared = onceFor(teamEvents, log, readShared);
  const read = await Promise.all([log.read(context.platformNow()).catch(noEvents), shared]);
  return new Set(read.flatMap(({ events }) => events.flatMap((event) => (event.event === 'job' ? event.run : []))));
}

const teamEvents = new WeakMap<EventLog, Promise<EventsRead>>();
const noEvents = (): EventsRead => ({ events: [], unreadable: 0 });

/** Writes an event down, and returns it. Best effort: no command fails because it cannot, and a deploy says so. */
export async function recordEvent<Name extends EventName>(
  context: Context,
  app: string,
  event: Name,
  facts: EventFacts<Name>,
  at?: string,
): Promise<HistoryEvent> {
  const log = logOf(context, app);
  const time = at ?? new Date(log.timeOf(context.platformNow())).toISOString();
  const written = { at: time, event, by: describeOrigin(context), ...facts } as HistoryEvent;
  try {
    await log.append(written);
    await shareEvent(context, shortAppName(context.project, app), withoutMarks(written));
  } catch (error) {
    const message = `cannot write the history of ${app}: ${toDiskError(error).message}`;
    if (event === 'sent') context.progress.warn({ severity: 'warning', message, why: sentNeed });
    else context.trace(message);
  }
  return written;
}

/** Writes down what get app shows and the history does not know, where a command has read the app anyway; see {@link recordEnds}. */
export async function recordLook(
  context: Context,
  name: string,
  app: App,
  listed: readonly Build[] = [],
): Promise<AppHistory> {
  let history = await readHistory(context, name);
  const record = async <Name extends EventName>(event: Name, facts: EventFacts<Name>) => {
    history = history.with(await recordEvent(context, name, event, facts));
  };
  const build = liveBuild(app);
  if (build !== undefined) {
    const settings = shownSettings(app);
    const last = history.last('served')?.build ?? null;
    const settingsBefore = last === build ? history.settingsOf(build) : undefined;
    const tried = history.triedBeside(build);
    const notOurs = Object.entries(settings).filter(([name, value]) => tried[name] !== value);
    const change = settingsBefore && changedSettings(settingsBefore, Object.fromEntries(notOurs));
    if (!change) await record('served', { build, before: last === build ? null : last, settings });
    else if (Object.keys(change.after).length > 0) await record('noticed', { build, ...change });
  }
  return recordEnds(context, name, history, listed);
}

/**
 * Writes down the ends that nobody saw: of uploads, by what their builds are `listed` as, and of rollbacks, whose builds were
 * seen to serve or are listed as ready.
 */
export async function recordEnds(context: Context, name: string, before: AppHistory, listed: readonly Build[]) {
  let history = before;
  for (const { event, at, ...facts } of [...before.unseenUploads(listed), ...before.unseenEnds(listed)])
    history = history.with(await recordEvent(context, name, event, facts, at));
  return history;
}

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

/** One log for all of a command, which keeps what it has read of it. */
function logOf({ settings, project }: Context, name: string): EventLog {
  const key = stateKey(platformOf(settings), project, shortAppName(project, name));
  const logsOfCommand = onceFor(logs, settings, () => new Map<string, EventLog>());
  return onceFor(logsOfCommand, key, () => new EventLog(fileOf(settings, key)));
}

/** Stands in place of an app: what is on record of all apps of a project. */
export const allApps = '(project)';
const fileOf = ({ folders }: Settings, key: StateKey) => join(folders.state, 'history', `${key}.jsonl`);

const logs = new WeakMap<Settings, Map<string, EventLog>>();

/** CI systems, by the variable that names the repository. */
const pipelines: readonly [Variable, string][] = [
  ['GITHUB_REPOSITORY', 'GitHub Actions'],
  ['CI_PROJECT_PATH', 'GitLab CI'],
  ['CIRCLE_PROJECT_REPONAME', 'CircleCI'],
  ['BUILDKITE_PIPELINE_SLUG', 'Buildkite'],
  ['BUILD_REPOSITORY_NAME', 'Azure Pipelines'],
];

/** Who runs this command, for people: `ada@laptop`, `ada@laptop by gantry dev`, or `GitHub Actions acme/shop`. */
function describeOrigin({ env, by }: Context): string {
  for (const [variable, system] of pipelines) {
    const repository = readVariable(env, variable);
    if (repository) return `${system} ${repository}`;
  }
  const who = isCi(env) ? `CI on ${hostname()}` : `${userName()}@${hostname()}`;
  return by === undefined ? who : `${who} by ${by}`;
}

/** A user id without an entry in the user database has no name, as in many containers. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

const sentNeed = 'status, history and a rollback do not know what was deployed here';

/** What a later command of this machine needs if this one is killed: of no use to others. */
const unshared: readonly EventName[] = ['created'];
/** What any command sees that reads the app. These wait for a command that changes something: reading writes nothing. */
const looks: readonly EventName[] = ['served', 'noticed', 'commit'];
const isLook = (event: HistoryEvent) =>
  looks.includes(event.event) || ('isNoticed' in event && event.isNoticed === true);
/** What is about to be done, and may go on without this command: the others know of it before it begins. */
const intents: readonly EventName[] = ['sending', 'rolling-back'];

/** The events that machines of the team have shared. */
async function readTeamEvents(context: Context, app: string): Promise<EventsRead> {
  const team = teamStateOf(context);
  if (!team) return { events: [], unreadable: 0 };
  const now = context.platformNow();
  const read = await team.read(
    context,
    team.folderOf('history', app),
    (name) => documentTime(name) + maxHistoryMs > now,
  );
  const parsed = read.documents.map(({ text }) => parseEvent(tryParseJson(text)));
  const events = parsed.filter((event) => event !== undefined);
  return { events, unreadable: read.unreadable + parsed.length - events.length };
}

/** Both, oldest first. An event that this machine has shared is in both, and here with all that it has. */
function mergeEvents(local: readonly HistoryEvent[], team: readonly HistoryEvent[]): HistoryEvent[] {
  if (team.length === 0) return [...local];
  const byText = new Map([...team, ...local].map((event) => [stringifyJson(withoutMarks(event)), event]));
  return [...byText.values()].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** The event without what was drawn from secrets: those who read a volume may not read them. */
function withoutMarks(event: HistoryEvent): HistoryEvent {
  if (event.event !== 'sent') return event;
  const { secrets: _, ...shared } = event;
  return shared;
}

/** Lets the team know of an event. */
async function shareEvent(context: Context, app: string, event: HistoryEvent): Promise<void> {
  const team = teamStateOf(context);
  if (!team || unshared.includes(event.event)) return;
  const folder = team.folderOf('history', app);
  const text = stringifyJson(event);
  const path = `${folder}/${documentName(event.at, text)}`;
  await team.outbox.add(path, text);
  if (intents.includes(event.event)) await team.sendFirst(context, path);
  if (isLook(event)) return;
  team.share(context, { key: folder, lastWork: (atEnd) => removeOld(atEnd, team, folder) });
}

/** How many documents one command removes: each removal is a request. */
const maxRemoved = 100;

/** Applies the limits of a machine's history to the team's. */
async function removeOld(context: Context, team: TeamState, folder: string): Promise<void> {
  const entries = await team.list(context, folder);
  const now = context.platformNow();
  let bytes = 0;
  const newestFirst = entries
    .filter(({ name }) => !Number.isNaN(documentTime(name)))
    .sort((a, b) => (a.name < b.name ? 1 : -1));
  const old = newestFirst.filter((entry) => {
    bytes += entry.bytes;
    return documentTime(entry.name) + maxHistoryMs <= now || bytes > maxHistoryBytes;
  });
  await team.remove(
    context,
    old.slice(-maxRemoved).map(({ name }) => `${folder}/${name}`),
  );
}
