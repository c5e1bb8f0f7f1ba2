import { findAppNames } from '../../deploys/apps.ts';
import { type ListedEvent, readHistory, settingKey, type WithCommit } from '../../deploys/history/index.ts';
import { teamStateOf } from '../../deploys/team-state/index.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { duration, forPeople, localTime, shortBuild } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';
import { type Columns, table } from '../../kernel/output/table.ts';
import type { Context } from '../../platform/context.ts';
import { isCanceled } from '../../platform/contract/builds.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { defineCommand } from '../command.ts';
import { appArgument } from '../flags/app.ts';
import { applyLimit, listFlags } from '../flags/list.ts';
import { timeFlag } from '../flags/values.ts';
import { documents, passThrough, text } from '../result-schema.ts';
import { commitText } from '../views/build.ts';
import { settingText } from '../views/compare.ts';

const eventFields = passThrough({
  at: text('RFC 3339, UTC'),
  event: text('created, sent, served, failed, verdict, rolling-back, rolled-back, scaled, secrets, noticed or deleted'),
  by: text('who: user@machine, or the pipeline'),
  build: text('build id'),
});

export default defineCommand({
  configure: (command) =>
    listFlags(appArgument(command)).option('--since <time>', 'only events since then, such as 2d', timeFlag),
  run: async (context, app, { since, ...flags }) => {
    const { progress, project } = context;
    const name = shortAppName(project, app);
    const history = await readHistory(context, name);
    const from = since?.(context.platformNow()) ?? 0;
    const all = history.listed();
    const recent = all.filter(({ at }) => Date.parse(at) >= from);
    const [last] = all;
    if (!last) await tellNothing(context, name);
    else if (recent.length === 0) progress.note(`nothing since then: the last event is from ${last.at}`);
    return applyLimit(recent, flags, progress, 'event');
  },
  view: historyView,
  effect: 'reads',
  json: documents(eventFields),
  details: ['Lists deploys, rollbacks and changes seen from this machine; with team-state, from any of the team.'],
  examples: ['history', 'history web --since 2d', 'history web --json=at,event,build'],
});

/** Throws NotFoundError for an app that the platform does not have, if it can be asked. */
async function tellNothing(context: Context, app: string): Promise<void> {
  const apps = await findAppNames(context, { includeEphemeral: true });
  if (apps && !apps.includes(app)) throw new NotFoundError(`app ${app} not found in ${context.project}`);
  const others = teamStateOf(context) ? 'nor has another one of the team' : 'only team-state shows what others did';
  context.progress.note(`this machine has not deployed or watched ${app}; ${others}`);
}

/** A line for each event; on a terminal one for each change as well, which would be cut off there. */
function historyView(events: readonly ListedEvent[]): View {
  return (page) => {
    const rows = events.flatMap((event) => {
      const { at, by } = event;
      const [what, ...changes] = describe(event);
      const when = forPeople(localTime(at).slice(0, -3), at);
      if (!page.terminal || page.accessible) return [{ when, what: [what, ...changes].join(', '), by }];
      return [{ when, what, by }, ...changes.map((change) => ({ when: ' ', what: `  ${change}`, by: ' ' }))];
    });
    const columns: Columns<(typeof rows)[number]> = {
      WHEN: ({ when }) => when,
      WHAT: ({ what }) => what,
      BY: ({ by }) => by,
    };
    return table(rows, Object.keys(columns), columns)(page);
  };
}

/** What happened, and each change. */
function describe(event: ListedEvent): string[] {
  return [(texts[event.event] as (event: ListedEvent) => string | string[])(event)].flat();
}

type ListedEventOf<Name extends ListedEvent['event']> = Extract<ListedEvent, { event: Name }>;

const texts: { [Name in ListedEvent['event']]: (event: ListedEventOf<Name>) => string | string[] } = {
  created: ({ build }) => `created ${shortBuild(build)}: no upload of it is on record`,
  sending: describeSent,
  sent: describeSent,
  served: (event) => {
    const origin = event.isOwn ? '' : ', not deployed from here';
    // What served in between was not seen.
    const before = event.before ? `; before it: ${shortBuild(event.before)}` : '';
    return [`${shortBuild(event.build)}${commitPart(event)} serves${origin}${before}`, ...changesOf(event.changes)];
  },
  // What somebody canceled has not failed.
  failed: ({ build, status, reason }) =>
    `${shortBuild(build)} ${isCanceled(status) ? 'canceled' : `failed (${status})`}${reason && `: ${reason}`}`,
  verdict: ({ build, verdict, reason, watchedMs }) =>
    `${shortBuild(build)} ${verdict}: ${reason || `looked at for ${duration(watchedMs)}`}`,
  'rolling-back': (event) => describeReturn('rolling back', event),
  'rolled-back': (event) => describeReturn('rolled back', event),
  deleted: () => 'deleted',
  secrets: ({ names, isSet }) => `secret ${names.join(', ')} ${isSet ? 'set' : 'removed'}`,
  scaled: changesOf,
  noticed: (event) => ['changed, not from here', ...changesOf(event)],
};

function describeReturn(what: string, event: ListedEventOf<'rolling-back' | 'rolled-back'>): string[] {
  const { from, to, as, reason, changes } = event;
  const steps = `${what} from ${shortBuild(from)} to ${shortBuild(to)}, as ${shortBuild(as)}`;
  return [`${steps}${reason && `: ${reason}`}`, ...changesOf(changes)];
}

function describeSent(event: ListedEventOf<'sending' | 'sent'>): string {
  const { build, restored, named, unconfirmed } = event;
  const first = named ? `, as it was sent to ${named}` : '';
  const source = restored ? `, which is ${shortBuild(restored)} again${first}` : commitPart(event);
  return `sent ${shortBuild(build)}${source}${unconfirmed ? ': whether it arrived is not known' : ''}`;
}

function commitPart(event: WithCommit): string {
  return event.commit ? ` of commit ${commitText(event)}` : '';
}

function changesOf(changes: Pick<NonNullable<ListedEvent['changes']>, 'before' | 'after'> | undefined): string[] {
  const { before = {}, after = {} } = changes ?? {};
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].map((name) => `${settingKey(name)} ${settingText(before[name])} -> ${settingText(after[name])}`);
}
