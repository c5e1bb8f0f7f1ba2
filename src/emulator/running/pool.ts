import type { AppRecord, BuildRecord } from '../state/records.ts';
import { afterSeconds } from '../time.ts';
import type { Replica } from './replica.ts';

/** Begins to start a replica of a build. */
export type StartReplica = (app: AppRecord, build: BuildRecord, python: string) => { name: string; replica: Replica };

interface PooledReplica {
  name: string;
  build: string;
  replica: Replica;
  isReady: boolean;
  busy: number;
  /** When it last had something to do, by the platform's clock. */
  idleSince: number;
  timer?: NodeJS.Timeout;
}

/** A replica that keeps a place for a call, until it is released. */
export interface ReplicaSlot {
  name: string;
  replica: Replica;
  /** Whether the replica was ready when the call got its place: such a call has no cold start. */
  wasReady: boolean;
  release(): void;
}

interface SlotRequest {
  app: AppRecord;
  build: BuildRecord;
  python: string;
  signal: AbortSignal;
  /** Called each time it has to wait. */
  queued: () => void;
}

/**
 * The replicas of one app: started when a call finds none with a free place, stopped when they had nothing to do for
 * the cooldown, and when there is a newer build.
 */
export class ReplicaPool {
  #members: PooledReplica[] = [];
  /** Those that still work on a last call, too. */
  readonly #up = new Set<Replica>();
  /** Those that are being stopped. */
  readonly #leaving = new Set<Promise<void>>();
  #waiting: (() => void)[] = [];
  readonly #begin: StartReplica;
  readonly #now: () => number;

  constructor(begin: StartReplica, now: () => number) {
    this.#begin = begin;
    this.#now = now;
  }

  /** A place for a call. */
  async acquire({ app, build, python, signal, queued }: SlotRequest): Promise<ReplicaSlot> {
    for (;;) {
      signal.throwIfAborted();
      this.#retire(app, build);
      const { replicaConcurrency, maxReplicaCount, runtime } = app.settings;
      const free = this.#members.find(({ busy }) => busy < replicaConcurrency);
      if (free) return this.#take(free, app);
      // A server of the user's own has one port: there is one of it.
      if (this.#members.length < (runtime === 'custom' ? 1 : maxReplicaCount)) {
        if (runtime === 'custom' && this.#leaving.size > 0) {
          await Promise.all(this.#leaving);
          continue;
        }
        return this.#take(this.#start(app, build, python), app);
      }
      queued();
      await this.#freed(signal);
    }
  }

  async stop(graceMs = 0): Promise<void> {
    for (const member of [...this.#members]) this.#drop(member);
    await Promise.all([...this.#up].map((replica) => replica.stop(graceMs)));
  }

  #start(app: AppRecord, build: BuildRecord, python: string): PooledReplica {
    const { name, replica } = this.#begin(app, build, python);
    const member: PooledReplica = {
      name,
      replica,
      isReady: false,
      build: build.id,
      busy: 0,
      idleSince: this.#now(),
    };
    this.#members.push(member);
    this.#up.add(replica);
    const over = () => {
      this.#up.delete(replica);
      this.#drop(member);
    };
    replica.ended.then(over, over);
    replica.ready.then(
      () => {
        member.isReady = true;
      },
      () => {},
    );
    return member;
  }

  #take(member: PooledReplica, app: AppRecord): ReplicaSlot {
    clearTimeout(member.timer);
    member.busy += 1;
    let released = false;
    const release = () => {
      if (released) return;
      released = true;
      member.busy -= 1;
      member.idleSince = this.#now();
      if (member.busy === 0) this.#coolDown(member, app);
      this.#wakeAll();
    };
    return { name: member.name, replica: member.replica, wasReady: member.isReady, release };
  }

  #coolDown(member: PooledReplica, { settings }: AppRecord): void {
    if (!this.#members.includes(member)) this.#end(member);
    else if (this.#members.length > settings.minReplicaCount) {
      member.timer = afterSeconds(settings.cooldownPeriodSeconds, () => this.#dismiss(member)).unref();
    }
  }

  /** Those of an older build, and those that have been idle for long when the clock was turned. */
  #retire({ settings }: AppRecord, build: BuildRecord): void {
    const coldAt = this.#now() - settings.cooldownPeriodSeconds * 1000;
    for (const member of [...this.#members]) {
      const cold = member.busy === 0 && member.idleSince < coldAt && this.#members.length > settings.minReplicaCount;
      if (member.build !== build.id || cold) this.#dismiss(member);
    }
  }

  /** It takes no more calls; those it works on may finish. */
  #dismiss(member: PooledReplica): void {
    this.#drop(member);
    if (member.busy === 0) this.#end(member);
  }

  #end({ replica }: PooledReplica): void {
    const left = replica.stop(graceMs).finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
  }

  #drop(member: PooledReplica): void {
    clearTimeout(member.timer);
    this.#members = this.#members.filter((other) => other !== member);
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #freed(signal: AbortSignal): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push(done);
      signal.addEventListener('abort', () => done(), { once: true });
    });
  }
}

/** Milliseconds a replica gets to end by itself. */
const graceMs = 2_000;
