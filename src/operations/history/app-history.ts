import { buildHasFailed } from '../../contract/builds.ts';
import type { EventName, EventOf, HistoryEvent, Verdict } from './events.ts';
import { withRollbacks } from './rollbacks.ts';
import { changedSettings, type SettingsChange } from './shown-settings.ts';
import { withUploads } from './uploads.ts';

/** An event with what it changed of the live settings, and whether this machine sent the build. */
export type ListedEvent = Exclude<HistoryEvent, EventOf<'job'>> & { changes?: SettingsChange; isOwn?: boolean };

/** An app showed a build, in ms since 1970; -Infinity: at some time before. */
export interface SeenBuild {
  build: string;
  at: number;
}

const scalingFields = ['minReplicaCount', 'maxReplicaCount', 'cooldownPeriodSeconds', 'replicaConcurrency'];

/** What is known of an app, from its events. Oldest first. */
export class AppHistory {
  readonly events: readonly HistoryEvent[];
  /** Those of this app: one that was deleted had the same name. */
  readonly #own: readonly HistoryEvent[];

  constructor(private readonly recorded: readonly HistoryEvent[]) {
    this.events = withUploads(withRollbacks(recorded));
    this.#own = this.events.slice(this.events.findLastIndex(({ event }) => event === 'deleted') + 1);
  }

  /** The same, and what was seen or done just now. */
  with(event: HistoryEvent): AppHistory {
    return new AppHistory([...this.recorded, event]);
  }

  /** How a build was created from here. */
  created(build: string): EventOf<'created'> | undefined {
    return this.#last('created', (event) => event.build === build);
  }

  /** What was sent for a build. Unconfirmed: only what the platform shows of the build tells whether it arrived. */
  sent(build: string): EventOf<'sent'> | undefined {
    return this.#last('sent', (event) => event.build === build);
  }

  /** Whether a build was made by a command on record, a rollback too. */
  isOnRecord(build: string): boolean {
    const isRollback = (event: HistoryEvent) =>
      /^roll(ing|ed)-back$/.test(event.event) && 'as' in event && event.as === build;
    return this.sent(build) !== undefined || this.#own.some(isRollback);
  }

  /** What was sent last. */
  lastSent(): EventOf<'sent'> | undefined {
    return this.#last('sent', () => true);
  }

  /** The last verdict on a build; undefined if it was never watched to an end. */
  verdict(build: string): EventOf<'verdict'> | undefined {
    return this.#last('verdict', (event) => event.build === build);
  }

  /**
   * The longest watch that found a build healthy, in ms, and the last time that it was found so. Undefined if the last
   * verdict is another one.
   */
  health(build: string): { watchMs: number; at: number } | undefined {
    const verdicts = this.#all('verdict').filter((event) => event.build === build);
    const healthy = verdicts.slice(verdicts.findLastIndex(({ verdict }) => verdict !== 'healthy') + 1);
    const last = healthy.at(-1);
    const watchMs = healthy.reduce((most, { checks }) => Math.max(most, checks?.watchMs ?? 0), 0);
    return last && { watchMs, at: Date.parse(last.at) };
  }

  /**
   * Whether a build was found sick, or rolled back, or another one that was made of the same files. Only a later verdict
   * that it is healthy changes that. `since`: only what was found after that time counts.
   */
  isSick(build: string, since = ''): boolean {
    const origin = this.#originOf(build);
    const last = this.#own.findLast((event) => {
      if (event.at <= since) return false;
      // Over another one of the same files, a rollback only changes settings.
      if (event.event === 'rolled-back') return this.areOfSame(event.from, build) && !this.areOfSame(event.to, build);
      if (event.event !== 'verdict' || !/^(sick|healthy)$/.test(event.verdict)) return false;
      return this.#originOf(event.build) === origin;
    });
    return last !== undefined && !(last.event === 'verdict' && last.verdict === 'healthy');
  }

  /** The rollback that replaced a build. */
  rolledBack(build: string): EventOf<'rolled-back'> | undefined {
    return this.#last('rolled-back', ({ from }) => from === build);
  }

  /** The rollback that made a build and was not seen to its end. */
  openRollback(build: string): EventOf<'rolling-back'> | undefined {
    const isClosed = this.recorded.some((event) => event.event === 'rolled-back' && event.as === build);
    return isClosed ? undefined : this.#last('rolling-back', (event) => event.as === build);
  }

  /** The verdict that a build, or another one of the same files, is sick. */
  sickness(build: string): EventOf<'verdict'> | undefined {
    const origin = this.#originOf(build);
    const isOfSame = (event: EventOf<'verdict'>) => event.verdict === 'sick' && this.#originOf(event.build) === origin;
    return this.isSick(build) ? this.#last('verdict', isOfSame) : undefined;
  }

  /** When builds served that were found sick, from their uploads on, in ms. */
  sickTimes(): { from: number; to: number }[] {
    const served = this.#all('served');
    return served.flatMap(({ build, at }, index) => {
      if (!this.isSick(build)) return [];
      const to = served[index + 1]?.at;
      return [{ from: Date.parse(this.sent(build)?.at ?? at), to: to ? Date.parse(to) : Number.POSITIVE_INFINITY }];
    });
  }

  /** The sick build that a build was rolled back from. */
  incident(live: string | undefined): string | undefined {
    const from = this.#last('rolled-back', (event) => event.as === live)?.from;
    return from !== undefined && this.sickness(from) ? from : undefined;
  }

  /** How a build failed that was followed from here. */
  failure(build: string): EventOf<'failed'> | undefined {
    return this.#last('failed', (event) => event.build === build);
  }

  /** What is worth knowing of a build in a list; undefined if nothing is. */
  markOf(build: string): Verdict | 'rolled back' | 'failed' | undefined {
    const failure = this.failure(build);
    if (failure && buildHasFailed(failure.status)) return 'failed';
    const rolledBack = this.rolledBack(build);
    const verdict = this.verdict(build);
    return rolledBack && (!verdict || verdict.at <= rolledBack.at) ? 'rolled back' : verdict?.verdict;
  }

  /** Whenever another build was seen to serve, oldest first. */
  looks(): SeenBuild[] {
    const looks: SeenBuild[] = [];
    for (const { at, build, before } of this.#all('served')) {
      const last = looks.at(-1)?.build;
      if (build === last) continue;
      if (before !== null && before !== last) looks.push({ build: before, at: Number.NEGATIVE_INFINITY });
      looks.push({ build, at: Date.parse(at) });
    }
    return looks;
  }

  /** When a build was created and sent by a command on record, in ms. */
  timesOf(build: string): { createdAt: number | undefined; sentAt: number | undefined } {
    const msOf = (event: HistoryEvent | undefined) => event && Date.parse(event.at);
    return { createdAt: msOf(this.created(build)), sentAt: msOf(this.sent(build)) };
  }

  /** The last look at the build that serves; undefined after the app was deleted. */
  served(): EventOf<'served'> | undefined {
    return this.#all('served').at(-1);
  }

  /** What the platform first showed of a build: what it made of the settings that were sent. */
  firstSettingsOf(build: string): Record<string, unknown> | undefined {
    return this.#all('served').find((event) => event.build === build)?.settings;
  }

  /** The settings of a build as the platform last showed them, or as they were last changed from here. */
  settingsOf(build: string): Record<string, unknown> | undefined {
    let settings: Record<string, unknown> | undefined;
    for (const event of this.#own) {
      if (event.event === 'served' && event.build === build) settings = event.settings;
      else if (event.event === 'noticed' && event.build === build) settings = { ...settings, ...event.after };
      else if (event.event === 'scaled' && settings) settings = { ...settings, ...event.after };
    }
    return settings;
  }

  /** When the scaling of now came into force, in ms: before, replicas kept to other settings. 0 if no change is on record. */
  scalingSince(): number {
    const changed = this.listed().find((event) => {
      const after = 'changes' in event ? event.changes?.after : 'after' in event ? event.after : undefined;
      return scalingFields.some((field) => after?.[field] !== undefined);
    });
    return changed ? Date.parse(changed.at) : 0;
  }

  /** Whether two builds were made of the same one, or one of them of the other. */
  areOfSame(one: string, other: string): boolean {
    return this.#originOf(one) === this.#originOf(other);
  }

  /** Other builds of the same files, the latest first. */
  ofSame(build: string): string[] {
    const made = this.#own.flatMap((event) => {
      if (event.event === 'rolling-back') return event.as;
      return event.event === 'sent' ? event.build : [];
    });
    const known = new Set([this.#originOf(build), ...made].reverse());
    return [...known].filter((other) => other !== build && this.areOfSame(other, build));
  }

  /** The build whose files a build has again. A revision may have been forced. */
  #originOf(build: string): string {
    let origin = build;
    // An archive of a build that was restored itself may be the one that was sent.
    for (const seen = new Set<string>(); !seen.has(origin); ) {
      seen.add(origin);
      const { restored } = this.sent(origin) ?? {
        restored: this.#last('rolling-back', ({ as, fromGit }) => as === origin && fromGit === undefined)?.to,
      };
      origin = restored ?? origin;
    }
    return origin;
  }

  /** All events for people, the newest first, with what each changed. What was sent was created. */
  listed(): ListedEvent[] {
    const whole = new AppHistory(this.recorded.filter(({ event }) => event !== 'deleted'));
    const shown = this.events.map((event, at) => whole.#listed(event, this.events.slice(0, at)));
    return shown.filter((event) => event.event !== 'job' && !whole.#isSurpassed(event)).reverse() as ListedEvent[];
  }

  /** Whether a later event says more. */
  #isSurpassed(event: HistoryEvent): boolean {
    if (event.event === 'created') return this.sent(event.build) !== undefined;
    if (event.event !== 'rolling-back') return false;
    return this.failure(event.as) !== undefined || this.#last('rolled-back', ({ as }) => as === event.as) !== undefined;
  }

  #listed(event: HistoryEvent, earlierEvents: readonly HistoryEvent[]) {
    if (event.event !== 'served') return event;
    const { build, before, settings } = event;
    const earlier = before === null ? undefined : new AppHistory(earlierEvents).settingsOf(before);
    const isOwn = (this.sent(build) ?? this.created(build)) !== undefined;
    return { ...event, isOwn, ...(earlier && { changes: changedSettings(earlier, settings) }) };
  }

  #last<Name extends EventName>(name: Name, matches: (event: EventOf<Name>) => boolean): EventOf<Name> | undefined {
    return this.#all(name).findLast(matches);
  }

  #all<Name extends EventName>(name: Name): EventOf<Name>[] {
    return this.#own.filter((event): event is EventOf<Name> => event.event === name);
  }
}
