import { onceFor } from '../../kernel/once.ts';
import { shortBuild, toMs } from '../../kernel/output/format.ts';
import { boolean, choice, nullable, type ObjectOf, text } from '../../kernel/shape.ts';
import { type Build, buildHasFailed, buildPhase, isCanceled } from '../../platform/contract/builds.ts';
import type { EventFacts, EventName, EventOf, HistoryEvent, Verdict } from './event-log.ts';
import { changedSettings, FollowedSettings, type SettingsChange } from './followed-settings.ts';

/** The commit that a build was made of. Null is what is not known. */
export const commitShape = {
  commit: nullable(text('commit that it was made of; null if that is not known')),
  dirty: nullable(boolean('whether other files were sent than those of the commit; null if that is not known')),
  evidence: nullable(
    choice(['record', 'SHA-256', 'CRC-32'], 'how the commit is known: record, SHA-256 or CRC-32; null if it is not'),
  ),
};
export type BuildCommit = ObjectOf<typeof commitShape>;

export type WithCommit = { [Name in keyof BuildCommit]?: BuildCommit[Name] | undefined };

export const noCommit: BuildCommit = { commit: null, dirty: null, evidence: null };

/** An event with what it changed of the live settings, and whether this machine sent the build; else its commit. */
export type ListedEvent = Exclude<HistoryEvent, EventOf<(typeof unlisted)[number]>> &
  WithCommit & {
    changes?: SettingsChange | undefined;
    isOwn?: boolean;
  };

export interface DeployedSettings {
  /** Settings as they were sent. What was left out was left to the platform. */
  sent?: Record<string, unknown> | undefined;
  /** Settings as the platform showed them right after. */
  shown?: Record<string, unknown> | undefined;
  /** Without a record of the build: settings that were changed since, by `apps scale`. */
  scaled?: Record<string, unknown> | undefined;
  /** Settings of a later build that does not serve: the app has them from its creation on, also if it fails. */
  tried?: Record<string, unknown> | undefined;
}

/** Times of this machine are those of the platform's last reply, in whole seconds. */
export const clockErrorMs = 2_000;

/** What is known of an app, from its events. Oldest first. */
export class AppHistory {
  readonly events: readonly HistoryEvent[];
  /** The events of this app: one that was deleted had the same name. */
  readonly #own: readonly HistoryEvent[];
  readonly #byName = new Map<string, HistoryEvent[]>();
  readonly #contents = new Map<string, string>();

  constructor(private readonly recorded: readonly HistoryEvent[]) {
    this.events = withUploads(recorded);
    this.#own = this.events.slice(this.events.findLastIndex(({ event }) => event === 'deleted') + 1);
    for (const event of this.#own) this.#all(event.event).push(event);
  }

  with(event: HistoryEvent): AppHistory {
    return new AppHistory([...this.recorded, event].sort((a, b) => Date.parse(a.at) - Date.parse(b.at)));
  }

  last<Name extends EventName>(name: Name): EventOf<Name> | undefined {
    return this.#all(name).at(-1);
  }

  /** The last event of a kind about a build; of a rollback, about the one that it made. */
  lastOf<Name extends EventName>(name: Name, build: string | null | undefined): EventOf<Name> | undefined {
    return this.#all(name).findLast((event) => buildOf(event) === build);
  }

  /** What was sent for a build. Unconfirmed: only what the platform shows of the build tells whether it arrived. */
  sent(build: string | null | undefined): EventOf<'sent'> | undefined {
    return this.lastOf('sent', build);
  }

  /** The commit that was sent, or that was found since. */
  commitOf(build: string): BuildCommit {
    const { commit, dirty = false } = this.sent(build) ?? {};
    if (commit !== undefined) return { commit, dirty, evidence: 'record' };
    const byFiles = this.lastOf('commit', build);
    return byFiles ? { commit: byFiles.commit, dirty: false, evidence: byFiles.evidence } : noCommit;
  }

  /** Whenever another build was seen to serve, oldest first: in ms since 1970, -Infinity at some time before. */
  looks(): { build: string; at: number }[] {
    const looks: { build: string; at: number }[] = [];
    for (const { at, build, before } of this.#all('served')) {
      const last = looks.at(-1)?.build;
      if (build === last) continue;
      if (before !== null && before !== last) looks.push({ build: before, at: Number.NEGATIVE_INFINITY });
      looks.push({ build, at: Date.parse(at) });
    }
    return looks;
  }

  /** The rollback that made a build, if no command on record has seen it to its end. */
  openRollback(build: string | undefined): EventOf<'rolling-back'> | undefined {
    const ended = this.lastOf('rolled-back', build);
    return ended && !ended.isNoticed ? undefined : this.lastOf('rolling-back', build);
  }

  /** What became of uploads whose end nobody saw: a build that has ended had its files, unless it was canceled. */
  unseenUploads(listed: readonly Build[]): HistoryEvent[] {
    return this.#all('sent').flatMap((sent): HistoryEvent[] => {
      const {
        id: build,
        status = '',
        updatedAt,
      } = listed.find(({ id }) => sent.unconfirmed && id === sent.build) ?? {};
      if (build === undefined || buildPhase(status) === 'in progress') return [];
      if (buildPhase(status) === 'succeeded') return [{ ...sent, unconfirmed: false }];
      return [{ event: 'failed', build, status, reason: '', at: updatedAt ?? sent.at, by: sent.by }];
    });
  }

  /** The ends of rollbacks that nobody saw: their builds were seen to serve, or are listed as ready. */
  unseenEnds(listed: readonly Build[]): (EventFacts<'rolled-back'> & { at: string; event: 'rolled-back' })[] {
    const succeeded = listed.filter(({ status }) => buildPhase(status) === 'succeeded');
    return this.#all('rolling-back').flatMap(({ from, to, as, reason, at }) => {
      const ready = succeeded.find(({ id }) => id === as);
      const look = this.looks().find(({ build }) => build === as);
      if (this.lastOf('rolled-back', as) || !(look ?? ready)) return [];
      // When it went live, not now: what was found since is later.
      const since = Math.max(Date.parse(at), toMs(ready?.updatedAt) || (look?.at ?? 0));
      return [{ event: 'rolled-back', from, to, as, reason, isNoticed: true, at: new Date(since).toISOString() }];
    });
  }

  /** The longest watch that found it healthy, in ms, and when it last did. Undefined if the last verdict is another. */
  health(build: string): { watchMs: number; at: number } | undefined {
    const verdicts = this.#all('verdict').filter((event) => event.build === build);
    const healthy = verdicts.slice(verdicts.findLastIndex(({ verdict }) => verdict !== 'healthy') + 1);
    const last = healthy.at(-1);
    const watchMs = healthy.reduce((most, event) => Math.max(most, event.watchMs), 0);
    return last && { watchMs, at: Date.parse(last.at) };
  }

  /**
   * Whether a build was found sick, or rolled back, or another one that was made of the same files. A later verdict that it
   * is healthy changes that. To deploy it again, or to return to it, takes back a rollback, but no verdict. `since`: only
   * what was found after that time counts.
   */
  isSick(build: string, since = ''): boolean {
    const isSame = (other: string) => this.areOfSame(other, build);
    const last = this.#lastVerdict(build, since);
    if (last?.verdict === 'sick') return true;
    const left = this.#own.findLast((event) => {
      if (event.at <= since) return false;
      // Over another one of the same files, a rollback only changes settings.
      if (event.event === 'rolled-back') return isSame(event.from) !== isSame(event.to);
      return event === last || (event.event === 'sent' && isSame(event.build));
    });
    return left?.event === 'rolled-back' && isSame(left.from);
  }

  /** The verdict that a build, or another one of the same files, is sick. */
  sickness(build: string): EventOf<'verdict'> | undefined {
    const isOfSame = (event: EventOf<'verdict'>) => event.verdict === 'sick' && this.areOfSame(event.build, build);
    return this.isSick(build) ? this.#all('verdict').findLast(isOfSame) : undefined;
  }

  /** The build that was found healthy before, if the same was sent for it as for both of these. */
  foundHealthy(build: string, before: string | undefined): string | undefined {
    if (before === undefined || !this.areOfSame(before, build)) return undefined;
    const last = this.#lastVerdict(build);
    return last?.verdict === 'healthy' ? last.build : undefined;
  }

  /** The last one that is certain of a build, or another one of the same files. */
  #lastVerdict(build: string, since = ''): EventOf<'verdict'> | undefined {
    const isSame = (event: EventOf<'verdict'>) => event.at > since && this.areOfSame(event.build, build);
    return lastCertain(this.#all('verdict').filter(isSame));
  }

  /** Since when lines of the log may be of a build that serves, in ms: since it was seen to, or was sent. */
  servesSince(build: string): number | undefined {
    const served = this.#all('served').find((event) => event.build === build);
    const sent = this.sent(build);
    return served ? Date.parse(served.at) - clockErrorMs : sent && Date.parse(sent.at);
  }

  /** When builds served that were found sick, from their uploads on, in ms. */
  sickTimes(): { from: number; to: number }[] {
    return this.looks().flatMap(({ build, at }, index, looks) => {
      if (!this.isSick(build)) return [];
      return [{ from: toMs(this.sent(build)?.at) || at, to: looks[index + 1]?.at ?? Number.POSITIVE_INFINITY }];
    });
  }

  /** The sick build that a build was rolled back from. */
  incident(live: string | undefined): string | undefined {
    const from = this.lastOf('rolled-back', live)?.from;
    return from !== undefined && this.sickness(from) ? from : undefined;
  }

  /** What is worth knowing of a build in a list; undefined if nothing is. */
  markOf(build: string): Verdict | 'rolled back' | 'failed' | `same files as ${string}, found sick` | undefined {
    const failure = this.lastOf('failed', build);
    if (failure && buildHasFailed(failure.status)) return 'failed';
    const rolledBack = this.#all('rolled-back').findLast(({ from }) => from === build);
    const verdicts = this.#all('verdict').filter((event) => event.build === build);
    // A doubtful look takes back no verdict.
    const last = lastCertain(verdicts) ?? verdicts.at(-1);
    if (rolledBack && (!last || last.at <= rolledBack.at)) return 'rolled back';
    const other = last?.verdict === 'sick' ? undefined : this.sickness(build)?.build;
    return other === undefined || other === build ? last?.verdict : `same files as ${shortBuild(other)}, found sick`;
  }

  /** What the platform first showed of a build: what it made of the settings that were sent. Empty if nobody has seen it. */
  firstSettingsOf(build: string): Record<string, unknown> {
    return this.#all('served').find((event) => event.build === build)?.settings ?? {};
  }

  /** The settings of the file of a build, and what the platform made of them. Empty if that is not on record. */
  fileSettings(build: string | null | undefined): DeployedSettings {
    const sent = this.sent(build);
    if (!sent) return { scaled: this.#scaled() };
    const settings = { ...this.firstSettingsOf(sent.build), ...sent.made };
    return { sent: sent.settings, shown: settings, tried: this.triedBeside(sent.build) };
  }

  /** What `apps scale` has set since another build was last seen to serve. */
  #scaled(): Record<string, unknown> {
    const since = this.#own.findLastIndex(({ event }) => event === 'served');
    const later = this.#own.slice(since + 1);
    return Object.assign({}, ...later.map((event) => (event.event === 'scaled' ? event.after : {})));
  }

  /** The settings of the last build that was sent, unless it is the one that serves. */
  triedBeside(live: string): Record<string, unknown> {
    const last = this.last('sent');
    return last && last.build !== live ? last.settings : {};
  }

  /** The settings of a build as the platform last showed them, or as they were last changed from here. */
  settingsOf(build: string): Record<string, unknown> | undefined {
    const followed = new FollowedSettings();
    for (const event of this.#own) followed.add(event);
    return followed.of(build);
  }

  /** When one of these settings came into force as it is now, in ms. 0 if no change is on record. */
  unchangedSince(fields: readonly string[]): number {
    const changed = this.listed().find((event) => {
      const after = 'after' in event ? event.after : event.changes?.after;
      return fields.some((field) => after?.[field] !== undefined);
    });
    return changed ? Date.parse(changed.at) : 0;
  }

  /** Whether the same was sent for two builds: the same files with the same settings, or one was made of the other. */
  areOfSame(build: string, other: string): boolean {
    return this.#contentOf(build) === this.#contentOf(other);
  }

  /** Other builds of the same files, the latest first. */
  ofSame(build: string): string[] {
    const made = this.#own.flatMap((event) => {
      if (event.event === 'rolling-back') return [event.to, event.as];
      return event.event === 'sent' ? [event.restored ?? event.build, event.build] : [];
    });
    const builds = new Set(made.reverse());
    return [...builds].filter((other) => other !== build && this.areOfSame(other, build));
  }

  /** What was sent for a build, as digests; without a record of that, the build, or the one that a rollback made it of. */
  #contentOf(build: string): string {
    const cached = this.#contents.get(build);
    if (cached !== undefined) return cached;
    this.#contents.set(build, build);
    // A revision may have been forced.
    const rolling = this.#all('rolling-back').findLast(({ as, fromGit }) => as === build && fromGit === undefined);
    const { filesDigest, settingsDigest } = this.sent(build) ?? {};
    const content = filesDigest ? `${filesDigest} ${settingsDigest}` : rolling ? this.#contentOf(rolling.to) : build;
    this.#contents.set(build, content);
    return content;
  }

  /** Events for people, the newest first, one for each action: what was sent was created, what was rolled back was sent. */
  listed(): ListedEvent[] {
    const whole = new AppHistory(this.recorded.filter(({ event }) => event !== 'deleted'));
    const followed = new FollowedSettings();
    const changes = new Map<HistoryEvent | undefined, SettingsChange>();
    for (const event of this.events) {
      const before = followed.add(event);
      if (before && event.event === 'served')
        changes.set(whole.#tellerOf(event), changedSettings(before, event.settings));
    }
    const listed = this.events.flatMap((event): ListedEvent[] => {
      if (!isForPeople(event) || whole.#tellerOf(event) !== event) return [];
      const told = { ...event, changes: changes.get(event) };
      if (told.event !== 'served') return [told];
      const isOwn = (whole.sent(told.build) ?? whole.lastOf('created', told.build)) !== undefined;
      return [{ ...told, ...(isOwn ? {} : whole.commitOf(told.build)), isOwn }];
    });
    return listed.reverse();
  }

  /** The event that is listed for one: itself, or another that says the same, or more. Undefined if a failure does. */
  #tellerOf(event: HistoryEvent): HistoryEvent | undefined {
    if (event.event === 'created') return this.sent(event.build) ?? this.lastOf('failed', event.build) ?? event;
    if (event.event === 'sent') return (event.unconfirmed ? undefined : this.#rollbackTo(event.build)) ?? event;
    if (event.event === 'rolling-back' || event.event === 'rolled-back') return this.#rollbackTo(event.as);
    if (event.event !== 'served') return event;
    const all = this.#all('served');
    const before = all[all.indexOf(event) - 1];
    // Two looks at once write down the same.
    if (before?.build === event.build) return before;
    const isFirst = all.find(({ build }) => build === event.build) === event;
    return (isFirst && this.lastOf('rolled-back', event.build)) || event;
  }

  /** The rollback that made a build, as far as it has come. It may be noticed by a command that only looks, too. */
  #rollbackTo(build: string): EventOf<'rolled-back' | 'rolling-back'> | undefined {
    const isFailed = this.lastOf('failed', build) !== undefined;
    return this.lastOf('rolled-back', build) ?? (isFailed ? undefined : this.lastOf('rolling-back', build));
  }

  #all<Name extends EventName>(name: Name): EventOf<Name>[] {
    return onceFor<string, HistoryEvent[]>(this.#byName, name, () => []) as EventOf<Name>[];
  }
}

const buildOf = (event: HistoryEvent) => ('as' in event ? event.as : 'build' in event ? event.build : '');

/** The last verdict that is certain. A watch that saw no call takes back nothing that calls have shown. */
function lastCertain(verdicts: readonly EventOf<'verdict'>[]): EventOf<'verdict'> | undefined {
  const certain = verdicts.filter(({ verdict }) => verdict === 'sick' || verdict === 'healthy');
  const last = certain.at(-1);
  const byCalls = certain.findLast(sawCalls);
  return last?.verdict === 'healthy' && !sawCalls(last) && byCalls?.verdict === 'sick' ? byCalls : last;
}

const sawCalls = ({ seen: { runs, smokeCalls } }: EventOf<'verdict'>) => Number(runs ?? 0) + Number(smokeCalls) > 0;

/**
 * Uploads as far as they are known: one that was begun and whose end nobody saw is sent, unconfirmed, until its build is
 * seen to have started. That of a build that was canceled before never arrived.
 */
function withUploads(recorded: readonly HistoryEvent[]): readonly HistoryEvent[] {
  const sent = new Set<string>();
  const arrived = new Map<string | null, boolean>();
  for (const event of recorded) {
    if (event.event === 'sent') sent.add(event.build);
    if (event.event === 'served') arrived.set(event.build, true).set(event.before, true);
    if (event.event === 'rolled-back') arrived.set(event.as, true);
    if (event.event === 'failed') arrived.set(event.build, arrived.get(event.build) || !isCanceled(event.status));
  }
  return recorded.flatMap((event): HistoryEvent[] => {
    if (event.event !== 'sending') return [event];
    const has = arrived.get(event.build);
    return sent.has(event.build) || has === false ? [] : [{ ...event, event: 'sent', unconfirmed: !has }];
  });
}

const unlisted = ['job', 'commit', 'preview'] as const;

function isForPeople(event: HistoryEvent): event is ListedEvent {
  return !unlisted.some((name) => name === event.event);
}
