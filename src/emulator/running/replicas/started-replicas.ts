import { pause } from '../../../kernel/clock.ts';
import type { ReplicaPeriod } from '../../model/runs/replica-period.ts';
import type { AppRecord, BuildRecord } from '../../model/state/records.ts';
import { hour } from '../../model/time.ts';
import { describeReplica, type PooledReplica } from './pooled-replica.ts';
import type { RestartingReplica } from './restarting-replica.ts';

export interface StartOptions {
  start(app: AppRecord, build: BuildRecord, python: string): { name: string; replica: RestartingReplica };
  /** Environment variables of a replica that is started now. */
  environment(app: AppRecord, build: BuildRecord, python: string): Record<string, string | undefined>;
  now(): number;
}

/** The replicas of one app from their start to their end, also those that accept no more calls, and their past. */
export class StartedReplicas {
  readonly #running = new Set<PooledReplica>();
  readonly #stopping = new Set<Promise<void>>();
  /** Those that have served and ended, oldest first. */
  #past: ReplicaPeriod[] = [];

  constructor(private readonly options: StartOptions) {}

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  get areStopping(): boolean {
    return this.#stopping.size > 0;
  }

  /** `onEnd` is called when it has ended for good. */
  start(app: AppRecord, build: BuildRecord, python: string, onEnd: (member: PooledReplica) => void): PooledReplica {
    const { name, replica } = this.options.start(app, build, python);
    const member: PooledReplica = {
      name,
      environment: this.environmentOf(app, build, python),
      replica,
      isEnding: false,
      graceMs: app.settings.responseGracePeriodSeconds * 1000,
      build: build.id,
      busy: 0,
      sockets: 0,
      idleSince: this.options.now(),
      stopTimer: () => {},
    };
    this.#running.add(member);
    const remove = () => {
      this.#running.delete(member);
      const { readyAt } = replica;
      const ended = { state: 'SUCCEEDED', isTerminating: false } as const;
      if (readyAt !== undefined) this.#past.push({ ...describeReplica(member), ...ended, readyAt });
      onEnd(member);
    };
    replica.ended.then(remove, remove);
    return member;
  }

  /** What a replica that is started now would get. */
  environmentOf(app: AppRecord, build: BuildRecord, python: string): string {
    return JSON.stringify(this.options.environment(app, build, python));
  }

  /** Ends one that accepts no more calls, unless it has some. WebSockets have the grace period: they may never end. */
  endIfUnused(member: PooledReplica): void {
    if (member.isEnding || member.busy > member.sockets) return;
    member.isEnding = true;
    const graceMs = member.sockets > 0 ? member.graceMs : Math.min(member.graceMs, unusedGraceMs);
    const stopped = member.replica.stop(graceMs).finally(() => this.#stopping.delete(stopped));
    this.#stopping.add(stopped);
  }

  /** Waits for replicas that end, but not for one that is finishing its work. */
  async stopped(): Promise<void> {
    await Promise.race([Promise.all(this.#stopping), pause(portMs, undefined, { background: true })]);
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#running].map(({ replica }) => replica.stop(0)));
  }

  /** Those whose process runs here, and those that ended within the last hour. */
  list(): ReplicaPeriod[] {
    const now = this.options.now();
    this.#past = this.#past.filter(({ endsAt }) => endsAt > now - hour).slice(-maxPast);
    return [...[...this.#running].map(describeReplica), ...this.#past];
  }
}

/** How long a new server waits for the port of the old one, which may be finishing its work. Then it gets another port. */
const portMs = 10_000;

/** How long one without calls may take to end: a program may ignore SIGTERM, as the first one of a container does. */
const unusedGraceMs = 2_000;

/** Of each app. */
const maxPast = 50;
