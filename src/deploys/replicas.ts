import { hourMs } from '../kernel/durations.ts';
import { toMs } from '../kernel/output/format.ts';
import {
  type Container,
  hasCrashed,
  hasStopped,
  isRunning,
  isWaiting,
  mayRun,
} from '../platform/contract/containers.ts';

/** Whose a replica is, by the list of replicas: of the watched build, of another one, or of none that is named. */
export type Owner = 'own' | 'other' | 'nobody';

interface KnownReplicas {
  /** Those that were there before the build was uploaded. */
  earlier?: ReadonlySet<string> | undefined;
  /** Whether all restarts are recent. Those of a build that serves for long count as one: they may be weeks old. */
  isNew: boolean;
}

/** One list of replicas, and how the app was scaled then. `at`: in ms of a clock that does not jump. */
interface ReplicaLook {
  at: number;
  /** The time of the look by the platform's clock, in ms since 1970. */
  now: number;
  containers: readonly Container[];
  minReplicas: number;
  cooldownMs: number;
}

export interface ReplicaFacts {
  /** Bad: failed, restarted twice, or did not come back. Back soon: it may. Some: fewer than the app keeps. */
  state: 'bad' | 'back soon' | 'enough' | 'some' | 'none' | 'not known';
  /** What is wrong, or what is waited for. */
  reason: string;
  container?: string | undefined;
  running: number;
  min: number;
}

interface End {
  livedMs: number;
  /** How many others were there then, and how many the app was to keep, as far as that was known. */
  left: number;
  min: number;
  cooldownMs: number;
  /** Whether its process had ended before, and it was to start again. */
  wasDown: boolean;
}

interface Life {
  id: string;
  container: Container;
  /** It exists since its start as listed, or the look before at most. */
  since: number;
  runsSince: number | undefined;
  /** Since when it does not run, after it ran. */
  downSince: number | undefined;
  /** How often its start was seen to move: not every platform counts restarts. */
  starts: number;
  /** Counted before the first look. */
  oldRestarts: number;
  /** Undefined if it is there, or was scaled down. */
  end: End | undefined;
  isGone: boolean;
  /** When it last showed what changes while it runs: one that was torn down may be listed as running for long. */
  movedAt: number;
  /** The one that died before it, whose place it has taken: one that dies may come back under another name. */
  before: Life | undefined;
}

/** One restart may be a node that was drained; a second one is a loop. */
const maxRestarts = 1;
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
  #min = 0;
  #isReduced = false;
  #isListed = false;
  #changedAt = Number.NEGATIVE_INFINITY;
  /** Whether the platform was seen to move what changes while a replica runs. */
  #moves = false;

  constructor(
    private readonly build: string,
    private readonly known: KnownReplicas,
  ) {
    for (const id of known.earlier ?? []) this.#owners.set(id, 'other');
  }

  see({ at, now, containers, minReplicas, cooldownMs }: ReplicaLook): void {
    this.#isListed = true;
    this.#isReduced ||= minReplicas < this.#min;
    this.#min = minReplicas;
    this.#before = this.#at;
    this.#at = at;
    for (const { containerId: id, buildId } of containers.filter((each) => each.buildId)) {
      this.#owners.set(id, buildId === this.build ? 'own' : 'other');
    }
    const there = containers.filter((each) => !hasStopped(each));
    const left = there.filter(({ containerId }) => this.#lives.has(containerId) && this.of(containerId) === 'own');
    const listed = new Map(containers.map((container) => [container.containerId, container]));
    this.#moves ||= containers.some((each) => hasMoved(this.#lives.get(each.containerId)?.container ?? each, each));
    for (const life of this.#lives.values()) {
      const container = listed.get(life.id);
      if (container && !hasStopped(container)) this.#update(life, container);
      else if (!life.isGone) this.#end(life, container ?? life.container, left.length, cooldownMs);
    }
    for (const container of containers) if (!this.#lives.has(container.containerId)) this.#begin(container, at - now);
  }

  /** When one last came or went, in ms of the clock of looks. */
  get changedAt(): number {
    return this.#changedAt;
  }

  of(id: string): Owner {
    return this.#owners.get(id) ?? 'nobody';
  }

  /** Own ones that were seen. Null if the platform lists none. */
  get seen(): number | null {
    return this.#isListed ? this.#own().length : null;
  }

  /** Null if the platform does not count those of a replica: a start that did not move may be an old one. */
  get restarts(): number | null {
    const lives = this.#own();
    const areCounted = lives.every(({ container }) => typeof container.containerRestartCount === 'number');
    return this.#isListed && areCounted ? lives.reduce((sum, life) => sum + restartsOf(life), 0) : null;
  }

  /** Whether all that run have started after a time, in ms since 1970. */
  haveStartedSince(time: number): boolean {
    const running = this.#own().filter((life) => this.#runs(life));
    const isLater = ({ container }: Life) => toMs(container.containerStartTimestamp) > time;
    return running.length > 0 && running.every(isLater);
  }

  /** `hasServed`: its calls were good, so that an end is no crash. `isOver`: only what is late is waited for. */
  facts(hasServed: (id: string) => boolean, isOver: boolean): ReplicaFacts {
    const lives = this.#own().filter(({ container }) => !container.isTerminating);
    const running = lives.filter((life) => this.#runs(life));
    const isDead = (life: Life) => this.#hasDied(life) && !hasServed(life.id);
    const ends = (life: Life) => restartsOf(life) + Number(life.end?.wasDown || isDead(life));
    const restarts = (life: Life) => inPlaceOf(life, ends);
    const missed = (life: Life) => inPlaceOf(life, (each) => Number(this.#isMissed(each)));
    const isDown = (life: Life) => (life.end ? this.#isMissed(life) || isDead(life) : life.downSince !== undefined);
    const down = lives.filter((life) => isDown(life) && !this.#isReplaced(life));
    const lost = down.find(({ downSince = this.#at }) => this.#at - downSince >= maxDownMs);
    const there = lives.filter(({ isGone }) => !isGone);
    const nameless = [...this.#lives.values()].find(({ id, isGone }) => !isGone && this.of(id) === 'nobody');
    // The first row with a replica says how they are, and what that replica does.
    const rows: [ReplicaFacts['state'], Life | undefined, (life: Life) => string][] = [
      ['bad', there.find(({ container }) => hasCrashed(container)), isIn],
      ['bad', lives.find((life) => restarts(life) > maxRestarts), (life) => `restarted ${restarts(life)} times`],
      ['bad', isOver ? lost : undefined, () => 'ended and is not running again'],
      [
        'back soon',
        lives.find((life) => missed(life) > maxRestarts),
        (life) => `was replaced ${missed(life)} times, after calls that succeeded`,
      ],
      ['back soon', down[0], () => 'ended, and is not running again yet'],
      [running.length < this.#min ? 'some' : 'enough', running[0], isIn],
      [
        'none',
        there.find(({ container }) => isRunning(container)),
        () => 'is listed as running, and its times stand still',
      ],
      ['none', there[0], isIn],
      ['none', nameless, () => 'is listed without a build'],
      ['none', lives[0], () => 'was seen, and does not run any more'],
    ];
    const [state = 'none', life, does] = rows.find(([, found]) => found) ?? [];
    const none = this.#min > 0 ? 'no replica has started' : '';
    const what = life && does ? `replica ${life.id} ${does(life)}` : none;
    const counts = { running: running.length, min: this.#min };
    if (!this.#isListed) return { ...counts, state: 'not known', reason: 'its replicas are not listed' };
    return { ...counts, state, reason: what, container: life?.id };
  }

  #own(): Life[] {
    return [...this.#lives.values()].filter(({ id }) => this.of(id) === 'own');
  }

  /** `aheadMs`: what the clock of looks is ahead of the platform's. */
  #begin(container: Container, aheadMs: number): void {
    const { containerId: id, containerRestartCount: restarts } = container;
    const isFirstLook = this.#before === Number.NEGATIVE_INFINITY;
    const startedAt = toMs(container.containerStartTimestamp) + aheadMs;
    const since = Math.min(this.#at, Math.max(this.#before, startedAt || this.#before));
    const before = this.#own().find((life) => this.#hasDied(life) && !this.#isReplaced(life));
    this.#changedAt = this.#at;
    this.#lives.set(id, {
      id,
      container,
      since,
      runsSince: isRunning(container) ? since : undefined,
      downSince: undefined,
      starts: 0,
      end: undefined,
      movedAt: this.#at,
      before: this.of(id) === 'own' ? before : undefined,
      oldRestarts: isFirstLook && !this.known.isNew ? Math.max(0, (restarts ?? 0) - maxRestarts) : 0,
      // One that ended before the first look at it shows nothing, unless it failed.
      isGone: hasStopped(container) && !hasCrashed(container),
    });
  }

  #update(life: Life, container: Container): void {
    const waitsAgain = life.runsSince !== undefined && isWaiting(container);
    if (hasStartedAgain(life.container, container)) life.starts += 1;
    if (isRunning(container)) life.runsSince ??= this.#before;
    if (!this.#moves || hasMoved(life.container, container)) life.movedAt = this.#at;
    life.downSince = waitsAgain ? (life.downSince ?? this.#at) : undefined;
    Object.assign(life, { container, end: undefined, isGone: false });
  }

  /** A replica that is not there any more: scaled down, or dead. */
  #end(life: Life, container: Container, left: number, cooldownMs: number): void {
    const isLeaving = container.isTerminating || life.container.isTerminating;
    const livedMs = this.#at - (life.runsSince ?? life.since);
    life.isGone = true;
    this.#changedAt = this.#at;
    if (!isLeaving) life.end = { livedMs, left, min: this.#min, cooldownMs, wasDown: life.downSince !== undefined };
    life.downSince = isLeaving ? undefined : this.#at;
  }

  #isReplaced(life: Life): boolean {
    return [...this.#lives.values()].some(({ before }) => before === life);
  }

  /** A state that no document names is no evidence, but the time that it runs is. */
  #runs({ container, isGone, movedAt }: Life): boolean {
    const isShown = isRunning(container) || (mayRun(container) && (container.containerRunningTimeMs ?? 0) > 0);
    return isShown && !isGone && this.#at - movedAt < minApartMs;
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
}

interface LiveBuild {
  /** For how long it was there, in ms; NaN if that is not known: restarts within the hour are its own. */
  ageMs: number;
  /** Whether the app keeps replicas. */
  isKept: boolean;
}

/**
 * What is bad of the replicas of a build that serves, by one look; undefined if nothing is. Restarts of one that runs may be
 * weeks old, unless the build is new. One that failed may be, too, unless the app keeps replicas and none runs.
 */
export function badNow(build: string, listed: readonly Container[], { ageMs, isKept }: LiveBuild) {
  const replicas = new Replicas(build, { isNew: true });
  const isDown = isKept && !listed.some((each) => isRunning(each) && each.buildId === build);
  const containers = listed.filter((each) => (hasCrashed(each) ? isDown : ageMs < hourMs || !isRunning(each)));
  replicas.see({ at: 0, now: 0, containers, minReplicas: 0, cooldownMs: 0 });
  const facts = replicas.facts(() => false, true);
  return facts.state === 'bad' ? facts : undefined;
}

/** Counts for a replica, and for those in whose place it is. */
function inPlaceOf(life: Life, countOf: (life: Life) => number): number {
  return countOf(life) + (life.before ? inPlaceOf(life.before, countOf) : 0);
}

function hasMoved(before: Container, now: Container): boolean {
  return before.timestamp !== now.timestamp || before.containerRunningTimeMs !== now.containerRunningTimeMs;
}

/** Restarts of the replica itself. One that is leaving anyway does not count. */
function restartsOf({ container, starts, oldRestarts }: Life): number {
  return container.isTerminating ? 0 : Math.max(starts, (container.containerRestartCount ?? 0) - oldRestarts);
}

/** A start that moves by less may be the same one, computed anew. In ms. */
const minMoveMs = 1_000;

function hasStartedAgain(before: Container, now: Container): boolean {
  return toMs(now.containerStartTimestamp) - toMs(before.containerStartTimestamp) >= minMoveMs;
}

const isIn = ({ container }: Life) => `is ${container.containerState || 'in no known state'}`;
