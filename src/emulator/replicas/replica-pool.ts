import { setTimeout } from 'node:timers/promises';
import type { AppRecord, BuildRecord } from '../state/records.ts';
import { afterSeconds } from '../time.ts';
import type { Replica } from './replica.ts';

export type StartReplica = (app: AppRecord, build: BuildRecord, python: string) => { name: string; replica: Replica };

interface PooledReplica {
  name: string;
  build: string;
  replica: Replica;
  isReady: boolean;
  isEnding: boolean;
  /** How long its process may take to end after SIGTERM. */
  graceMs: number;
  busy: number;
  /** How many of its active calls are WebSockets. */
  sockets: number;
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
  /** The call is a WebSocket, which may stay open for hours. */
  isSocket: boolean;
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

  async acquire({ app, build, python, isSocket, signal, onQueued }: SlotRequest): Promise<ReplicaSlot> {
    let hasWaited = false;
    for (;;) {
      signal.throwIfAborted();
      this.#retire(app, build);
      const { replicaConcurrency, maxReplicaCount, runtime } = app.settings;
      const free = this.#members.find(({ busy }) => busy < replicaConcurrency);
      if (free) return this.#assign(free, app, isSocket);
      // An app's own server has one port, so it has one replica.
      if (this.#members.length < (runtime === 'custom' ? 1 : maxReplicaCount)) {
        if (runtime === 'custom' && !hasWaited && this.#stopping.size > 0) {
          hasWaited = true;
          await Promise.race([Promise.all(this.#stopping), setTimeout(portMs, undefined, { ref: false })]);
          continue;
        }
        return this.#assign(this.#start(app, build, python), app, isSocket);
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
      isEnding: false,
      graceMs: app.settings.responseGracePeriodSeconds * 1000,
      build: build.id,
      busy: 0,
      sockets: 0,
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

  #assign(member: PooledReplica, app: AppRecord, isSocket: boolean): ReplicaSlot {
    clearTimeout(member.timer);
    member.busy += 1;
    if (isSocket) member.sockets += 1;
    let released = false;
    const release = () => {
      if (released) return;
      released = true;
      member.busy -= 1;
      if (isSocket) member.sockets -= 1;
      member.idleSince = this.now();
      if (!this.#members.includes(member)) this.#endIfUnused(member);
      else if (member.busy === 0) this.#coolDown(member, app);
      this.#wakeAll();
    };
    return { name: member.name, replica: member.replica, wasReady: member.isReady, release };
  }

  #coolDown(member: PooledReplica, { settings }: AppRecord): void {
    if (this.#members.length > settings.minReplicaCount) {
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

  /** Accepts no more calls. Active ones may finish, but WebSockets only have the grace period: they may never end. */
  #dismiss(member: PooledReplica): void {
    this.#drop(member);
    this.#endIfUnused(member);
  }

  #endIfUnused(member: PooledReplica): void {
    if (member.isEnding || member.busy > member.sockets) return;
    member.isEnding = true;
    const stopped = member.replica.stop(member.graceMs).finally(() => this.#stopping.delete(stopped));
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

/** How long a new server waits for the port of the old one, which may be finishing its work. Then it gets another port. */
const portMs = 10_000;
