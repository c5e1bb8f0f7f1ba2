import { stringifyJson, tryParseJson } from '../../kernel/json-text.ts';
import type { Context } from '../../platform/context.ts';
import { documentName, documentTime, type TeamState, teamStateOf } from '../team-state/index.ts';
import { type EventsRead, maxHistoryBytes, maxHistoryMs } from './event-log.ts';
import { type EventName, type HistoryEvent, parseEvent } from './events.ts';

/** What a later command of this machine needs if this one is killed: of no use to others. */
const own: readonly EventName[] = ['created'];
/** What any command sees that reads the app. These wait for a command that changes something: reading writes nothing. */
const looks: readonly EventName[] = ['served', 'noticed', 'commit'];
const isLook = (event: HistoryEvent) =>
  looks.includes(event.event) || ('isNoticed' in event && event.isNoticed === true);
/** What is about to be done, and may go on without this command: the others know of it before it begins. */
const intents: readonly EventName[] = ['sending', 'rolling-back'];

/** The events that machines of the team have shared. */
export async function readTeamEvents(context: Context, app: string): Promise<EventsRead> {
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

/** Both, oldest first. An event that this machine has shared is in both. */
export function mergeEvents(local: readonly HistoryEvent[], team: readonly HistoryEvent[]): HistoryEvent[] {
  const byText = new Map([...team, ...local].map((event) => [stringifyJson(event), event]));
  const merged = [...byText.values()].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  // Two machines that look at once both write down what they see.
  let lastLook = '';
  return merged.filter((event) => {
    if (event.event !== 'served') return true;
    const look = stringifyJson([event.build, event.settings]);
    const isNew = look !== lastLook;
    lastLook = look;
    return isNew;
  });
}

/** Lets the team know of an event. */
export async function shareEvent(context: Context, app: string, event: HistoryEvent): Promise<void> {
  const team = teamStateOf(context);
  if (!team || own.includes(event.event)) return;
  const folder = team.folderOf('history', app);
  const text = stringifyJson(event);
  const name = documentName(event.at, text);
  await team.add(folder, { name, text });
  if (intents.includes(event.event)) await team.sendFirst(context, `${folder}/${name}`);
  if (isLook(event)) return;
  team.share(context, { key: folder, lastWork: (atEnd) => removeOld(atEnd, team, folder) });
}

/** Of one command: each removal is a request. */
const maxRemoved = 100;

/** The same limits as for the history of a machine. */
async function removeOld(context: Context, team: TeamState, folder: string): Promise<void> {
  const entries = (await team.list(context, folder)) ?? [];
  const now = context.platformNow();
  let bytes = 0;
  const newestFirst = entries
    .filter(({ name }) => !Number.isNaN(documentTime(name)))
    .sort((a, b) => (a.name < b.name ? 1 : -1));
  const old = newestFirst.filter(({ name, size }) => {
    bytes += size ?? 0;
    return documentTime(name) + maxHistoryMs <= now || bytes > maxHistoryBytes;
  });
  await team.remove(
    context,
    old.slice(-maxRemoved).map(({ name }) => `${folder}/${name}`),
  );
}
