import { after, pause } from '../../../kernel/clock.ts';
import { once } from '../../../kernel/once.ts';
import { ReplicaSet, type Scaling } from '../../../platform/scaling.ts';
import type { AppRecord, BuildRecord, ReplicaPeriod, ReplicaRecord } from '../../model/state/records.ts';
import type { AppOutput } from '../logs/app-logs.ts';
import { raceAbort } from './replica.ts';
import type { RestartingReplica } from './restarting-replica.ts';
import { sharesPort } from './server-ready.ts';

interface ReplicaPoolOptions {
  start(start: ReplicaStart): Pick<PooledReplica, 'name' | 'replica'>;
  /** Environment variables of a replica that is started now. */
  environment(start: ReplicaStart): Record<string, string | undefined>;
  now(): number;
  /** The app as it is scaled now, which may be after its deploy, or after a call of it has ended. */
  current(app: AppRecord): AppRecord;
  /** Whether one is kept after the cooldown, also if the app's own minimum is lower. */
  keepWarm: boolean;
  /** Called with each that has ended and was ready once, or was to serve calls. */
  ended(replica: Omit<ReplicaRecord, 'app'>): void;
}

/** What a replica is started with. */
export interface ReplicaStart {
  app: AppRecord;
  build: BuildRecord;
  python: string;
  /** Takes what it prints while the build waits for it: whether it did. Else that is the log of the app. */
  onStartOutput?: (output: AppOutput) => boolean;
}

/** Capacity of a replica for one call, until it is released. */
export interface ReplicaSlot {
  name: string;
  replica: RestartingReplica;
  /** Whether the replica was ready when the slot was assigned: then there is no cold start. */
  wasReady: boolean;
  release(): void;
}

interface SlotRequest extends ReplicaStart {
  run: string;
  /** The call is a WebSocket, which may stay open for hours. */
  isSocket: boolean;
  signal: AbortSignal;
  /** Whether the app has a newer build by now. */
  isReplaced: () => boolean;
  onQueued: () => void;
}

/** The replicas of one app: started when no slot is free, stopped after the cooldown or after a newer build. */
export class ReplicaPool {
  /** Those that accept calls. */
  readonly #replicas = new ReplicaSet<PooledReplica>();
  /** Those that have not ended, also if they accept no more calls. */
  readonly #running = new Set<PooledReplica>();
  readonly #stopping = new Set<Promise<void>>();
  #waiting: (() => void)[] = [];
  /** The replica that a build started to see whether it starts: it becomes a member with the build's first call. */
  #first: PooledReplica | undefined;
  /** The start of a server that must have the app's port for itself. */
  #startAlone: Promise<unknown> | undefined;
  #isStopped = false;

  constructor(private readonly options: ReplicaPoolOptions) {}

  /** Resolves to undefined if a newer build has replaced that of the request: a call that waited must not end its replicas. */
  async acquire(request: SlotRequest): Promise<ReplicaSlot | undefined> {
    const { app, build, signal, isReplaced, onQueued } = request;
    let hasWaited = false;
    for (;;) {
      signal.throwIfAborted();
      if (this.#startAlone) {
        await raceAbort(this.#startAlone, signal);
        continue;
      }
      if (isReplaced()) return undefined;
      this.#admitFirst(request);
      this.#dismissOthers(build);
      this.#dismissIdle(app);
      const placed = this.#replicas.place(this.#scalingOf(app));
      if (typeof placed === 'object') return this.#assign(placed, request);
      if (placed === 'start') {
        if (sharesPort(app) && !hasWaited && this.#stopping.size > 0) {
          hasWaited = true;
          await raceAbort(this.#stopped(), signal);
          continue;
        }
        return this.#assign(this.#add(request), request);
      }
      onQueued();
      await raceAbort(new Promise<void>((done) => this.#waiting.push(done)), signal);
    }
  }

  /**
   * Starts a replica of a build that gets no calls yet, and keeps it for the first one. Replicas of the version before
   * continue. Rejects if it does not start in time.
   */
  async startFirst(start: ReplicaStart, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const member = this.#create(start);
    try {
      await raceAbort(member.replica.ready, signal);
    } catch (error) {
      await member.replica.stop(0);
      throw error;
    }
    if (this.#first) this.#dismiss(this.#first);
    this.#first = member;
    member.idleSince = this.options.now();
    this.#coolDown(member, start.app);
  }

  /** Starts the first replica once those of the builds before have ended, of which one has an address that it needs. */
  async startFirstAlone(start: ReplicaStart, signal: AbortSignal): Promise<void> {
    const before = this.#startAlone ?? Promise.resolve();
    const starting = before.then(() => this.#freePort()).then(() => this.startFirst(start, signal));
    const ended = starting
      .catch(() => {})
      .finally(() => {
        if (this.#startAlone === ended) this.#startAlone = undefined;
      });
    this.#startAlone = ended;
    return starting;
  }

  /** A build serves from now on: replicas of others end without a call, unless it was replaced or canceled meanwhile. */
  replaceBy(start: ReplicaStart): void {
    const { id, cancelledAt } = start.build;
    if (cancelledAt !== undefined && this.#first?.build === id) this.#dismiss(this.#first);
    if (!this.#accepting.some(({ build }) => build === id)) return;
    this.#dismissOthers(start.build);
    void this.keep(start);
  }

  /** Starts those that `min_replicas` keeps and that do not run, and again those that have older secrets and served no call. */
  async keep(start: ReplicaStart): Promise<void> {
    const { minReplicas, maxReplicas } = this.#scalingOf(start.app);
    if (minReplicas === 0) return;
    await this.#startAlone;
    const { app, build } = start;
    const environment = this.#environmentOf(start);
    const isOutdated = (replica: PooledReplica) => replica.build === build.id && replica.environment !== environment;
    for (const member of this.#idle) if (!member.hasServed && isOutdated(member)) this.#dismiss(member);
    if (sharesPort(app)) await this.#stopped();
    const { members } = this.#replicas;
    // It may have been replaced meanwhile, and its files removed.
    if (this.#isStopped || this.#accepting.some((member) => member.build !== build.id)) return;
    const kept = Math.min(minReplicas, maxReplicas) - (this.#first?.build === build.id ? 1 : 0);
    while (members.length < kept) this.#coolDown(this.#add(start), app);
  }

  /** After the app was scaled: those that it kept until now, and keeps no more, end after a cooldown. */
  rescale(app: AppRecord): void {
    const now = this.options.now();
    const { cooldownMs } = this.#scalingOf(app);
    for (const member of this.#idle) {
      if (now - member.idleSince >= cooldownMs) member.idleSince = now;
      this.#coolDown(member, app);
    }
  }

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const member of this.#running) this.#drop(member);
    await Promise.all([...this.#running].map(({ replica }) => replica.stop(0)));
  }

  /** Replicas whose process runs here. */
  list(app: AppRecord): ReplicaPeriod[] {
    this.#dismissIdle(app);
    return [...this.#running].map(describeReplica);
  }

  /** Those that accept calls, or will. */
  get #accepting(): PooledReplica[] {
    return [...(this.#first ? [this.#first] : []), ...this.#replicas.members];
  }

  /** Those without a call that accept one. */
  get #idle(): PooledReplica[] {
    return this.#accepting.filter(({ busy }) => busy === 0);
  }

  /** Unless secrets were changed since it started: a user who sets one after a deploy expects it in the first call. */
  #admitFirst(start: ReplicaStart): void {
    const member = this.#first;
    if (member?.build !== start.build.id) return;
    this.#first = undefined;
    if (member.environment === this.#environmentOf(start)) this.#replicas.add(member);
    else this.#dismiss(member);
  }

  #add(start: ReplicaStart): PooledReplica {
    const started = this.#create(start);
    this.#replicas.add(started);
    return started;
  }

  async #freePort(): Promise<void> {
    for (const member of this.#running) this.#dismiss(member);
    await this.#stopped();
  }

  #create(start: ReplicaStart): PooledReplica {
    const { app, build } = start;
    const member: PooledReplica = {
      ...this.options.start(start),
      environment: this.#environmentOf(start),
      isEnding: false,
      hasServed: false,
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
      const { readyAt = null } = member.replica;
      const { name, build, startedAt, endsAt, restarts } = describeReplica(member);
      if (readyAt !== null || this.#replicas.members.includes(member))
        this.options.ended({ name, build, startedAt, readyAt, endsAt, restarts });
      this.#drop(member);
    };
    member.replica.ended.then(remove, remove);
    return member;
  }

  /** What a replica that is started now would get, as JSON. */
  #environmentOf(start: ReplicaStart): string {
    return JSON.stringify(this.options.environment(start));
  }

  #assign(member: PooledReplica, { app, run, isSocket }: SlotRequest): ReplicaSlot {
    member.stopTimer();
    member.replica.restartNow();
    member.replica.runs.add(run);
    member.busy += 1;
    member.hasServed = true;
    if (isSocket) member.sockets += 1;
    const release = once(() => {
      member.busy -= 1;
      member.replica.runs.delete(run);
      if (isSocket) member.sockets -= 1;
      member.idleSince = this.options.now();
      if (!this.#replicas.members.includes(member)) this.#endIfUnused(member);
      else if (member.busy === 0) this.#coolDown(member, app);
      this.#wakeAll();
    });
    return { name: member.name, replica: member.replica, wasReady: member.replica.isReady, release };
  }

  #coolDown(member: PooledReplica, app: AppRecord): void {
    member.stopTimer();
    // Others may have ended meanwhile.
    const dismiss = () => void (this.#mayEnd(member, app) && this.#dismiss(member));
    const leftMs = member.idleSince + this.#scalingOf(app).cooldownMs - this.options.now();
    member.stopTimer = after(leftMs, dismiss, { background: true });
  }

  /** The first one of a build is alone. */
  #mayEnd(member: PooledReplica, app: AppRecord): boolean {
    const scaling = this.#scalingOf(app);
    return member === this.#first ? scaling.minReplicas === 0 : this.#replicas.mayEnd(scaling);
  }

  #dismissOthers(build: BuildRecord): void {
    for (const member of [...this.#replicas.members]) if (member.build !== build.id) this.#dismiss(member);
  }

  /** Those that a test's clock has moved past the cooldown. */
  #dismissIdle(app: AppRecord): void {
    const scaling = this.#scalingOf(app);
    const isOver = ({ idleSince }: PooledReplica) => idleSince + scaling.cooldownMs <= this.options.now();
    for (;;) {
      const first = this.#first && this.#mayEnd(this.#first, app) && isOver(this.#first) ? this.#first : undefined;
      const expired = this.#replicas.expired(scaling, this.options.now()) ?? first;
      if (!expired) return;
      expired.endsAt = expired.idleSince + scaling.cooldownMs;
      this.#dismiss(expired);
    }
  }

  #scalingOf(app: AppRecord): Scaling {
    const { settings } = this.options.current(app);
    const { minReplicaCount, maxReplicaCount, replicaConcurrency, cooldownPeriodSeconds } = settings;
    return {
      minReplicas: Math.max(minReplicaCount, this.options.keepWarm ? 1 : 0),
      maxReplicas: sharesPort({ settings }) ? 1 : maxReplicaCount,
      concurrency: replicaConcurrency,
      cooldownMs: cooldownPeriodSeconds * 1000,
    };
  }

  /** Accepts no more calls. Active ones may finish. */
  #dismiss(member: PooledReplica): void {
    this.#drop(member);
    this.#endIfUnused(member);
  }

  /** Ends one that accepts no more calls, unless it has some. WebSockets have the grace period: they may never end. */
  #endIfUnused(member: PooledReplica): void {
    if (member.isEnding || member.busy > member.sockets) return;
    member.isEnding = true;
    const graceMs = member.sockets > 0 ? member.graceMs : Math.min(member.graceMs, unusedGraceMs);
    const stopped = member.replica.stop(graceMs).finally(() => this.#stopping.delete(stopped));
    this.#stopping.add(stopped);
  }

  /** Waits for replicas that end, but not for one that is finishing its work. */
  async #stopped(): Promise<void> {
    await Promise.race([Promise.all(this.#stopping), pause(portMs, undefined, { background: true })]);
  }

  #drop(member: PooledReplica): void {
    member.stopTimer();
    if (this.#first === member) this.#first = undefined;
    this.#replicas.remove(member);
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** A replica with what its pool knows of it. */
interface PooledReplica {
  name: string;
  environment: string;
  build: string;
  replica: RestartingReplica;
  isEnding: boolean;
  /** Whether a call has used it. */
  hasServed: boolean;
  /** How long its process may take to end after SIGTERM. */
  graceMs: number;
  busy: number;
  /** How many of its active calls are WebSockets. */
  sockets: number;
  /** When its last call ended, or it became ready, by the platform's clock. */
  idleSince: number;
  /** When its cooldown was over, if that clock was moved past it. */
  endsAt?: number;
  /** Keeps it from being dismissed when its cooldown is over. */
  stopTimer: () => void;
}

function describeReplica({ name, build, replica, isEnding, endsAt }: PooledReplica) {
  const { isReady, startedAt, readyAt = startedAt, exitedAt, restarts } = replica;
  const never = Number.POSITIVE_INFINITY;
  return {
    name,
    build,
    state: isReady ? ('RUNNING' as const) : ('PENDING' as const),
    startedAt,
    readyAt: isReady ? readyAt : never,
    endsAt: endsAt ?? exitedAt ?? never,
    restarts,
    isTerminating: isEnding,
  } satisfies ReplicaPeriod;
}

/** How long a new server waits for the port of the old one, which may be finishing its work. Then it gets another port. */
const portMs = 10_000;

/** How long one without calls may take to end: a program may ignore SIGTERM, as the first one of a container does. */
const unusedGraceMs = 2_000;
