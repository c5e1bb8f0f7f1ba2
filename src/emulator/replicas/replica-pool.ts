import type { AppRecord, BuildRecord } from '../state/records.ts';
import { afterSeconds } from '../time.ts';
import type { Replica } from './replica.ts';

export type StartReplica = (app: AppRecord, build: BuildRecord, python: string) => { name: string; replica: Replica };

interface PooledReplica {
  name: string;
  build: string;
  replica: Replica;
  isReady: boolean;
  busy: number;
  /** When its last call ended, by the platform's clock. */
  idleSince: number;
  timer?: NodeJS.Timeout;
}

/** Capacity of a replica for one call, until it is released. */
export interface ReplicaSlot {
  name: string;
  replica: Replica;
  /** Whether the replica was ready when the slot was assigned: then there is no cold start. */
  wasReady: boolean;
  release(): void;
}

interface SlotRequest {
  app: AppRecord;
  build: BuildRecord;
  python: string;
  signal: AbortSignal;
  /** Called each time the call has to wait. */
  onQueued: () => void;
}

/** The replicas of one app: started when no slot is free, stopped after the cooldown or after a newer build. */
export class ReplicaPool {
  #members: PooledReplica[] = [];
  /** Including replicas that accept no more calls but still have some. */
  readonly #running = new Set<Replica>();
  readonly #stopping = new Set<Promise<void>>();
  #waiting: (() => void)[] = [];

  constructor(
    private readonly startReplica: StartReplica,
    private readonly now: () => number,
  ) {}

  async acquire({ app, build, python, signal, onQueued }: SlotRequest): Promise<ReplicaSlot> {
    for (;;) {
      signal.throwIfAborted();
      this.#retire(app, build);
      const { replicaConcurrency, maxReplicaCount, runtime } = app.settings;
      const free = this.#members.find(({ busy }) => busy < replicaConcurrency);
      if (free) return this.#assign(free, app);
      // An app's own server has one port, so it has one replica.
      if (this.#members.length < (runtime === 'custom' ? 1 : maxReplicaCount)) {
        if (runtime === 'custom' && this.#stopping.size > 0) {
          await Promise.all(this.#stopping);
          continue;
        }
        return this.#assign(this.#start(app, build, python), app);
      }
      onQueued();
      await this.#waitForSlot(signal);
    }
  }

  async stop(): Promise<void> {
    for (const member of [...this.#members]) this.#drop(member);
    await Promise.all([...this.#running].map((replica) => replica.stop(0)));
  }

  #start(app: AppRecord, build: BuildRecord, python: string): PooledReplica {
    const { name, replica } = this.startReplica(app, build, python);
    const member: PooledReplica = {
      name,
      replica,
      isReady: false,
      build: build.id,
      busy: 0,
      idleSince: this.now(),
    };
    this.#members.push(member);
    this.#running.add(replica);
    const remove = () => {
      this.#running.delete(replica);
      this.#drop(member);
    };
    replica.ended.then(remove, remove);
    replica.ready.then(
      () => {
        member.isReady = true;
      },
      () => {},
    );
    return member;
  }

  #assign(member: PooledReplica, app: AppRecord): ReplicaSlot {
    clearTimeout(member.timer);
    member.busy += 1;
    let released = false;
    const release = () => {
      if (released) return;
      released = true;
      member.busy -= 1;
      member.idleSince = this.now();
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

  /** Dismisses replicas of older builds, and idle ones that a test's clock has moved past the cooldown. */
  #retire({ settings }: AppRecord, build: BuildRecord): void {
    const idleBefore = this.now() - settings.cooldownPeriodSeconds * 1000;
    for (const member of [...this.#members]) {
      const isIdle =
        member.busy === 0 && member.idleSince < idleBefore && this.#members.length > settings.minReplicaCount;
      if (member.build !== build.id || isIdle) this.#dismiss(member);
    }
  }

  /** Accepts no more calls. Active ones may finish. */
  #dismiss(member: PooledReplica): void {
    this.#drop(member);
    if (member.busy === 0) this.#end(member);
  }

  #end({ replica }: PooledReplica): void {
    const stopped = replica.stop(graceMs).finally(() => this.#stopping.delete(stopped));
    this.#stopping.add(stopped);
  }

  #drop(member: PooledReplica): void {
    clearTimeout(member.timer);
    this.#members = this.#members.filter((other) => other !== member);
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #waitForSlot(signal: AbortSignal): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push(done);
      signal.addEventListener('abort', () => done(), { once: true });
    });
  }
}

const graceMs = 2_000;
