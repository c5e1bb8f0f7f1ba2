import { count, duration } from '../kernel/output/format.ts';
import {
  type Container,
  hasCrashed,
  hasStopped,
  isRunning,
  isWaiting,
  mayRun,
} from '../platform/contract/containers.ts';

/** Of which build a replica is, by the list of replicas. */
export type Owner = 'own' | 'other' | 'nobody';

/** How long replicas of the build before may take to go, in ms. */
export const goneMs = 120_000;

/** What is known of replicas before the first look. */
export interface KnownReplicas {
  /** Those that were there before the build was uploaded. */
  earlier?: ReadonlySet<string> | undefined;
  /** Whether no other build has served for long enough: a replica without a build is of this one then. */
  isAlone: boolean;
  /** Whether all restarts are recent. Those of a build that serves for long count as one: they may be weeks old. */
  isNew: boolean;
}

/** One list of replicas, and how the app was scaled then. Times are in ms of a clock that does not jump. */
export interface ReplicaLook {
  at: number;
  /** The same time by the platform's clock, in ms since 1970. */
  now: number;
  containers: readonly Container[];
  minReplicas: number;
  cooldownMs?: number | undefined;
}

export interface ReplicaFacts {
  /**
   * Bad: failed, restarted twice, or ran and did not come back. Back soon: it may be on its way. Still: listed as running,
   * and not read anew. Some: fewer than the app keeps.
   */
  state: 'bad' | 'back soon' | 'still' | 'enough' | 'some' | 'none' | 'not known';
  /** What is wrong, or what is waited for. */
  reason: string;
  /** The replica that shows it. */
  container?: string | undefined;
  running: number;
  min: number;
}

/** What became of a replica that is not there any more. */
interface End {
  at: number;
  livedMs: number;
  /** How many others were there then, and how many the app was to keep, as far as that was known. */
  left: number;
  min: number;
  cooldownMs: number;
}

/** One replica, over several looks. */
interface Life {
  id: string;
  container: Container;
  /** NaN if it is not shown. */
  startedAt: number;
  /** The first look that showed it. It exists since its start as listed, or the look before at most. */
  seenAt: number;
  since: number;
  runsSince: number | undefined;
  /** Since when it does not run, after it ran. */
  downSince: number | undefined;
  /** How often its start was seen to move: a restart, also where none is counted. */
  starts: number;
  /** It was seen waiting after it ran: the count of its restarts may lag. */
  hasWaited: boolean;
  /** Counted before the first look. */
  oldRestarts: number;
  /** When it last showed something new: a time of reading, or how long it runs. And when it last ran for longer. */
  movedAt: number;
  ranAt: number;
  /** Undefined if it is there, or was scaled down. */
  end: End | undefined;
  isGone: boolean;
}

/** One restart may be a node that was drained; a second one is a loop. */
const maxRestarts = 1;
const defaultCooldownMs = 10_000;
/** A replica that takes longer to come back is lost. */
const maxDownMs = 15_000;
/** Lists that are this far apart show another time of reading: some platforms have whole seconds. */
const minApartMs = 1_500;

/** The replicas of an app, over several looks: which are of one build, and how these are. */
export class Replicas {
  readonly #lives = new Map<string, Life>();
  readonly #owners = new Map<string, Owner>();
  #at = Number.NEGATIVE_INFINITY;
  #before = Number.NEGATIVE_INFINITY;
  #since: number | undefined;
  #min = 0;
  #isReduced = false;
  #isListed = false;
  #changedAt = Number.NEGATIVE_INFINITY;
  /** Whether the platform was seen to move what has to change while a replica runs. */
  #moves = false;

  constructor(
    private readonly build: string,
    private readonly known: KnownReplicas,
  ) {
    for (const id of known.earlier ?? []) this.#owners.set(id, 'other');
  }

  see({ at, now, containers, minReplicas, cooldownMs = defaultCooldownMs }: ReplicaLook): void {
    this.#isListed = true;
    this.#since ??= at;
    this.#isReduced ||= minReplicas < this.#min;
    this.#min = minReplicas;
    this.#before = this.#at;
    this.#at = at;
    const there = containers.filter((each) => !hasStopped(each));
    const left = there.filter(({ containerId }) => this.#lives.has(containerId) && this.of(containerId) !== 'other');
    const listed = new Map(containers.map((container) => [container.containerId, container]));
    this.#moves ||= containers.some((each) => hasMoved(this.#lives.get(each.containerId)?.container, each));
    for (const life of this.#lives.values()) {
      const shown = listed.get(life.id);
      if (shown && !hasStopped(shown)) this.#update(life, shown);
      else if (!life.isGone) this.#end(life, shown ?? life.container, left.length, cooldownMs);
    }
    for (const container of containers) {
      if (!this.#lives.has(container.containerId)) this.#begin(container, at - now);
      this.#learnOwner(container);
    }
  }

  /** When one last came or went, in ms of the clock of looks. */
  get changedAt(): number {
    return this.#changedAt;
  }

  of(id: string): Owner {
    return this.#owners.get(id) ?? 'nobody';
  }

  /** The build that the list names, empty if it names none. Undefined: the replica was never listed. */
  buildOf(id: string): string | undefined {
    const life = this.#lives.get(id);
    return life && (life.container.buildId ?? '');
  }

  /** Whether one of them is there, and not about to end. */
  has(owner: Owner): boolean {
    return [...this.#lives.values()].some(({ id, isGone, container }) => {
      return !isGone && !container.isTerminating && this.of(id) === owner;
    });
  }

  /** Own ones that were seen. Null if the platform lists none. */
  get seen(): number | null {
    return this.#isListed ? this.#own().length : null;
  }

  /** Null if the platform does not count those of a replica: a start that did not move may be an old one. */
  get restarts(): number | null {
    if (!this.#isListed || this.#own().some(({ container }) => typeof container.containerRestartCount !== 'number')) {
      return null;
    }
    return this.#own().reduce((sum, life) => sum + restartsOf(life), 0);
  }

  /** A replica that was started again once: not enough to say more. */
  get restarted(): string | undefined {
    return this.#own().find((life) => restartsOf(life) > 0)?.id;
  }

  /** Whether all that run have started after a time, in ms since 1970. */
  haveStartedSince(time: number): boolean {
    const running = this.#own().filter((life) => this.#runs(life));
    const isLater = ({ container }: Life) => Date.parse(container.containerStartTimestamp ?? '') > time;
    return running.length > 0 && running.every(isLater);
  }

  /**
   * `hasServed`: calls of a replica have succeeded, and none has failed. That it ended is no crash then. `isOver`: nothing
   * more is waited for than what may be late.
   */
  facts(hasServed: (id: string) => boolean, isOver: boolean): ReplicaFacts {
    const own = this.#own().filter(({ container }) => !container.isTerminating);
    const running = own.filter((life) => this.#runs(life)).length;
    const found = (state: ReplicaFacts['state'], reason = '', container?: string): ReplicaFacts => {
      return { state, reason, container, running, min: this.#min };
    };
    if (!this.#isListed) return found('not known', 'its replicas are not listed');
    const failed = own.find(({ container, isGone }) => hasCrashed(container) && !isGone);
    if (failed) return found('bad', `replica ${failed.id} is ${stateOf(failed)}`, failed.id);
    const isDead = (life: Life) => this.#hasDied(life) && !hasServed(life.id);
    const restarts = this.#byPlace(own, (life) => restartsOf(life) + Number(isDead(life)));
    const missed = this.#byPlace(own, (life) => Number(this.#isMissed(life)));
    const looping = own.find((life) => (restarts.get(life) ?? 0) > maxRestarts);
    if (looping) return found('bad', `replica ${looping.id} restarted ${restarts.get(looping)} times`, looping.id);
    const down = this.#down(own, hasServed);
    const lost = down.find(({ downSince = this.#at }) => this.#at - downSince >= maxDownMs);
    if (isOver && lost) return found('bad', `replica ${lost.id} ended and is not running again`, lost.id);
    const churning = own.find((life) => (missed.get(life) ?? 0) > maxRestarts);
    if (churning) {
      const reason = `replica ${churning.id} was replaced ${missed.get(churning)} times, after calls that succeeded`;
      return found('back soon', reason, churning.id);
    }
    if (down[0]) return found('back soon', `replica ${down[0].id} ended, and is not running again yet`, down[0].id);
    if (running > 0) return found(running < this.#min ? 'some' : 'enough');
    const still = own.find((life) => !life.isGone && isRunning(life.container));
    if (still) {
      const ms = this.#at - still.movedAt;
      return found('still', `the list of its replicas is a copy, which was not read anew for ${duration(ms)}`);
    }
    const waiting = own.find((life) => !life.isGone);
    if (waiting) return found('none', `replica ${waiting.id} is ${stateOf(waiting) || 'in no known state'}`);
    const nameless = [...this.#lives.values()].find(({ id, isGone }) => !isGone && this.of(id) === 'nobody');
    if (nameless) return found('none', `replica ${nameless.id} is listed without a build`);
    if (own.length > 0) return found('none', `${count(own.length, 'replica')} of it was seen, and none runs any more`);
    return found('none', this.#min > 0 ? 'no replica has started' : '');
  }

  #own(): Life[] {
    return [...this.#lives.values()].filter(({ id }) => this.of(id) === 'own');
  }

  /**
   * The list names the build, as a rule. Where it does not, a replica is of this build that started while it served, or
   * that runs so long after another one did. What it did before counts then.
   */
  #learnOwner({ containerId, buildId }: Container): void {
    const life = this.#lives.get(containerId);
    const isThere = life?.isGone === false && !life.container.isTerminating;
    const since = this.#since ?? this.#at;
    const isOfServing =
      this.known.isAlone || (life && life.startedAt > since) || (isThere && this.#at - since >= goneMs);
    if (buildId) this.#owners.set(containerId, buildId === this.build ? 'own' : 'other');
    else if (!this.#owners.has(containerId) && isOfServing) this.#owners.set(containerId, 'own');
  }

  /** `aheadMs`: what the clock of looks is ahead of the platform's. */
  #begin(container: Container, aheadMs: number): void {
    const ranMs = container.containerRunningTimeMs ?? Number.NaN;
    const startedAt = Date.parse(container.containerStartTimestamp ?? '') + aheadMs || this.#at - ranMs;
    const since = Math.min(this.#at, Math.max(this.#before, startedAt || this.#before));
    this.#changedAt = this.#at;
    const isOld = !this.known.isNew && this.#before === Number.NEGATIVE_INFINITY;
    this.#lives.set(container.containerId, {
      id: container.containerId,
      container,
      seenAt: this.#at,
      startedAt,
      since,
      runsSince: isRunning(container) ? since : undefined,
      downSince: undefined,
      starts: 0,
      hasWaited: false,
      oldRestarts: isOld ? Math.max(0, (container.containerRestartCount ?? 0) - maxRestarts) : 0,
      movedAt: this.#at,
      ranAt: Number.NEGATIVE_INFINITY,
      end: undefined,
      // One that ended before the first look at it shows nothing, unless it failed.
      isGone: hasStopped(container) && !hasCrashed(container),
    });
  }

  #update(life: Life, container: Container): void {
    const before = life.container;
    const mustMove = isRunning(container) && (this.#moves || (container.containerRunningTimeMs ?? 0) > 0);
    if (!mustMove || hasMoved(before, container)) life.movedAt = this.#at;
    if ((container.containerRunningTimeMs ?? 0) > (before.containerRunningTimeMs ?? 0)) life.ranAt = this.#at;
    const waitsAgain = life.runsSince !== undefined && isWaiting(container);
    if (hasStartedAgain(before, container)) life.starts += 1;
    life.hasWaited ||= waitsAgain;
    if (isRunning(container)) life.runsSince ??= this.#before;
    life.downSince = waitsAgain ? (life.downSince ?? this.#at) : undefined;
    Object.assign(life, { container, end: undefined, isGone: false });
  }

  /** A replica that is not there any more: scaled down, or dead. */
  #end(life: Life, container: Container, left: number, cooldownMs: number): void {
    const isLeaving = container.isTerminating || life.container.isTerminating;
    const livedMs = this.#at - (life.runsSince ?? life.since);
    life.isGone = true;
    this.#changedAt = this.#at;
    if (!isLeaving) life.end = { at: this.#at, livedMs, left, min: this.#min, cooldownMs };
    life.downSince = isLeaving ? undefined : this.#at;
  }

  /** The app keeps more than were left. How many it keeps may have been lowered since it was last read. */
  #isMissed({ end }: Life): boolean {
    return end !== undefined && end.left < Math.min(end.min, this.#min);
  }

  /** Ended although it was not scaled down. */
  #hasDied(life: Life): boolean {
    const { end } = life;
    return end !== undefined && (this.#isMissed(life) || (end.livedMs < end.cooldownMs && !this.#isReduced));
  }

  #runs({ container, isGone, movedAt, ranAt }: Life): boolean {
    const shownAt = isRunning(container) ? movedAt : mayRun(container) ? ranAt : Number.NEGATIVE_INFINITY;
    return !isGone && this.#at - shownAt < minApartMs;
  }

  /** Those that ended or wait, and whose place no other one has taken. One that had served may not be expected. */
  #down(own: readonly Life[], hasServed: (id: string) => boolean): Life[] {
    const isExpected = (life: Life) => {
      if (!life.end) return life.downSince !== undefined;
      return this.#isMissed(life) || (this.#hasDied(life) && !hasServed(life.id));
    };
    const taken = new Set(this.#places(own).values());
    return own.filter((life) => isExpected(life) && !taken.has(life));
  }

  /** A count for each replica, with those that were in its place before: one that dies may come back as another. */
  #byPlace(own: readonly Life[], countOf: (life: Life) => number): Map<Life, number> {
    const predecessors = this.#places(own);
    const counts = new Map<Life, number>();
    for (const life of own) {
      const before = predecessors.get(life);
      counts.set(life, countOf(life) + (before ? (counts.get(before) ?? 0) : 0));
    }
    return counts;
  }

  /** Which replica took whose place: each new one that of the first that died before it, in the order of looks. */
  #places(own: readonly Life[]): Map<Life, Life> {
    const taken = new Map<Life, Life>();
    const free = own.filter((life) => this.#hasDied(life));
    for (const life of own) {
      const at = free.findIndex(({ end }) => end !== undefined && end.at <= life.seenAt);
      const [before] = at < 0 ? [] : free.splice(at, 1);
      if (before) taken.set(life, before);
    }
    return taken;
  }
}

/** Of the replica itself. One that is leaving anyway does not count. */
function restartsOf({ container, starts, hasWaited, oldRestarts }: Life): number {
  if (container.isTerminating) return 0;
  return Math.max(0, hasWaited ? 1 : 0, starts, (container.containerRestartCount ?? 0) - oldRestarts);
}

function hasMoved(before: Container | undefined, now: Container): boolean {
  if (!before) return false;
  return before.timestamp !== now.timestamp || before.containerRunningTimeMs !== now.containerRunningTimeMs;
}

/** A start that moves by less may be the same one, computed anew. In ms. */
const minMoveMs = 1_000;

function hasStartedAgain(before: Container, now: Container): boolean {
  const moved = Date.parse(now.containerStartTimestamp ?? '') - Date.parse(before.containerStartTimestamp ?? '');
  const ranFor = (before.containerRunningTimeMs ?? 0) - (now.containerRunningTimeMs ?? Number.POSITIVE_INFINITY);
  return moved >= minMoveMs || ranFor >= minMoveMs;
}

const stateOf = ({ container }: Life) => container.containerState ?? '';
