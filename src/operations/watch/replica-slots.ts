import { type Container, hasCrashed, hasStopped, isRunning } from '../../contract/containers.ts';
import type { SlotProblem } from './finding.ts';
import type { ReplicaReads } from './replica-reads.ts';

/** How the app was scaled when the replicas were listed. */
interface Scaling {
  at: number;
  minReplicas?: number | undefined;
  cooldownMs?: number | undefined;
}

/** The place of a replica: one that ends may come back under another name. */
interface Slot {
  container: Container;
  /**
   * Since when this container exists and runs at most, in ms: the look before the first one that showed it. What the first
   * look of all shows may be older than anybody knows.
   */
  since: number;
  runningSince: number | undefined;
  /** Since when it does not run, after it ran. */
  downSince: number | undefined;
  /** How often earlier replicas restarted here. */
  deaths: number;
  /** Replicas that ended here before their time. */
  ended: readonly string[];
  /** The replica was seen waiting after it had run: its restart count may lag. */
  hasRestarted: boolean;
  /** How often its start was seen to move: a restart, also where none is counted. */
  starts: number;
  /** False once nothing is expected here any more: the replica was scaled down, or ended at its time. */
  isOpen: boolean;
  /** The replica has ended, and no other one has come yet. */
  isVacant: boolean;
  /** The replica ended although the app is to keep so many. */
  isMissed: boolean;
}

/** One restart may be a node that was drained; a second one is a loop. */
const maxRestarts = 1;
const defaultCooldownMs = 10_000;
/** A replica that takes longer to come back is lost; before that, it may be on its way. */
const maxDownMs = 15_000;

/** The replicas of one build by slot, over several looks. */
export class ReplicaSlots {
  readonly #slots: Slot[] = [];
  readonly #ids = new Set<string>();
  #minReplicas = 0;
  /** The last look and the one before, in ms. */
  #at = Number.NEGATIVE_INFINITY;
  #before = Number.NEGATIVE_INFINITY;
  /** Somebody lowered the number of replicas: that one ends early is no surprise. */
  #isReduced = false;

  /**
   * `isNew`: all restarts are recent. Those of a build that serves for long count as one: they may be weeks old.
   * `hasServed`: calls of a replica have succeeded, and none has failed. That it ended is no crash then, however short its
   * life was.
   */
  constructor(
    private readonly isNew = true,
    private readonly hasServed: (containerId: string) => boolean = () => false,
    private readonly reads?: ReplicaReads,
  ) {}

  update(containers: readonly Container[], scaling: Scaling): void {
    const { minReplicas = this.#minReplicas } = scaling;
    this.#isReduced ||= minReplicas < this.#minReplicas;
    this.#minReplicas = minReplicas;
    const listed = new Map(containers.map((container) => [container.containerId, container]));
    const survivors = containers.filter((each) => this.#ids.has(each.containerId) && !hasStopped(each)).length;
    this.#before = this.#at;
    this.#at = scaling.at;
    for (const slot of this.#slots) {
      const { container } = slot;
      const shown = listed.get(container.containerId);
      // Also one that was missing in a list before: it has not gone.
      if (shown && !hasStopped(shown)) this.#see(slot, shown, scaling.at);
      else if (slot.isOpen && !slot.isVacant) this.#end(slot, shown ?? container, scaling, survivors);
    }
    for (const container of containers) {
      if (!this.#ids.has(container.containerId)) this.#fill(container);
    }
  }

  /** What is wrong whatever comes next. */
  problem(): SlotProblem | undefined {
    const slots = this.#slots.filter(({ container }) => !container.isTerminating);
    const failed = slots.find((slot) => slot.isOpen && hasCrashed(slot.container));
    if (failed) return problemOf(failed, `is ${failed.container.containerState}`);
    const looping = slots.find((slot) => this.#restartsOf(slot) > maxRestarts);
    return looping && problemOf(looping, `restarted ${this.#restartsOf(looping)} times`);
  }

  /** A replica that ran, ended and did not come back. */
  problemAtEnd(): SlotProblem | undefined {
    const lost = this.#slots.find((slot) => this.#isOpen(slot) && this.#at - (slot.downSince ?? this.#at) >= maxDownMs);
    if (lost) return problemOf(lost, 'ended and is not running again');
    const isGone = this.#minReplicas > 0 && this.replicas > 0 && this.#slots.every((slot) => !this.#isOpen(slot));
    return isGone ? { reason: 'no replica is running' } : undefined;
  }

  /** A replica that may be on its way back. */
  doubt(): SlotProblem | undefined {
    const slot = this.#slots.find((slot) => this.#isOpen(slot) && slot.downSince !== undefined);
    if (slot) return problemOf(slot, 'ended, and is not running again yet');
    const ending = this.#slots.find(({ isMissed, ended }) => isMissed && ended.length > maxRestarts);
    return ending && problemOf(ending, `was replaced ${ending.ended.length} times, after calls that succeeded`);
  }

  /** The replicas that run and never restarted, or run again. */
  get running(): string[] {
    const running = this.#slots.filter(
      ({ isOpen, isVacant, container }) => isOpen && !isVacant && isRunning(container, this.reads),
    );
    return running.map(({ container }) => container.containerId);
  }

  /** What the build waits for. */
  waiting(): string | undefined {
    const slot = this.#slots.find(({ isOpen, isVacant }) => isOpen && !isVacant);
    if (slot) return `replica ${slot.container.containerId} is ${stateOf(slot.container) || 'in no known state'}`;
    return this.#minReplicas > 0 ? 'no replica has started' : undefined;
  }

  get replicas(): number {
    return this.#ids.size;
  }

  /** Null if the platform does not count those of a replica: a start that did not move may be an old one. */
  get restarts(): number | null {
    if (this.#slots.some(({ container }) => typeof container.containerRestartCount !== 'number')) return null;
    return this.#slots.reduce((sum, slot) => sum + this.#restartsOf(slot), 0);
  }

  restarted(): string | undefined {
    return this.#slots.find((slot) => this.#restartsOf(slot) > 0)?.container.containerId;
  }

  has(containerId: string): boolean {
    return this.#ids.has(containerId);
  }

  #see(slot: Slot, container: Container, at: number): void {
    if (hasStartedAgain(slot.container, container)) slot.starts += 1;
    const ended = slot.ended.filter((id) => id !== container.containerId);
    Object.assign(slot, { container, ended, isOpen: true, isVacant: false });
    if (isRunning(container, this.reads)) {
      slot.runningSince ??= this.#before;
      slot.downSince = undefined;
    } else if (slot.runningSince !== undefined && /^pending$/i.test(stateOf(container))) {
      slot.hasRestarted = true;
      slot.downSince ??= at;
    }
  }

  /** A replica that is not there any more: scaled down, or dead. */
  #end(slot: Slot, container: Container, { at, cooldownMs = defaultCooldownMs }: Scaling, survivors: number): void {
    const livedMs = at - (slot.runningSince ?? slot.since);
    const isMissed = survivors < this.#minReplicas;
    const isLeaving = container.isTerminating || slot.container.isTerminating;
    const isScaledDown = isLeaving || (!isMissed && (livedMs >= cooldownMs || this.#isReduced));
    if (isScaledDown) slot.isOpen = false;
    else
      Object.assign(slot, { isVacant: true, isMissed, downSince: at, ended: [...slot.ended, container.containerId] });
  }

  #fill(container: Container): void {
    this.#ids.add(container.containerId);
    const since = this.#before;
    const runningSince = isRunning(container) ? since : undefined;
    const vacant = this.#slots.find(({ isVacant }) => isVacant);
    if (vacant) {
      const downSince = runningSince === undefined ? vacant.downSince : undefined;
      const deaths = vacant.deaths + restartsOf(vacant);
      Object.assign(vacant, {
        container,
        since,
        runningSince,
        downSince,
        deaths,
        hasRestarted: false,
        starts: 0,
        isVacant: false,
      });
    } else {
      // One that ended before the first look at it shows nothing, unless it failed.
      const isOpen = !hasStopped(container) || hasCrashed(container);
      const slot = { container, since, runningSince, downSince: undefined };
      const isOld = !this.isNew && since === Number.NEGATIVE_INFINITY;
      const deaths = isOld ? Math.min(0, maxRestarts - (container.containerRestartCount ?? 0)) : 0;
      const past = { deaths, ended: [], hasRestarted: false, starts: 0 };
      this.#slots.push({ ...slot, ...past, isOpen, isVacant: false, isMissed: false });
    }
  }

  /** Whether a replica is expected. Not where one ended that had served, and nothing says that it is to be kept. */
  #isOpen({ isOpen, isVacant, isMissed, container }: Slot): boolean {
    return isOpen && !(isVacant && !isMissed && this.hasServed(container.containerId));
  }

  /** Of all replicas that were in the slot. One that is leaving anyway does not count. */
  #restartsOf(slot: Slot): number {
    if (slot.container.isTerminating) return 0;
    return slot.deaths + slot.ended.filter((id) => !this.hasServed(id)).length + restartsOf(slot);
  }
}

/** Of the replica that is in the slot. */
function restartsOf({ hasRestarted, starts, container }: Slot): number {
  return container.isTerminating ? 0 : Math.max(hasRestarted ? 1 : 0, starts, container.containerRestartCount ?? 0);
}

/** A start that moves by less may be the same one, computed anew. In ms. */
const minMoveMs = 1_000;

function hasStartedAgain(before: Container, now: Container): boolean {
  const moved = Date.parse(now.containerStartTimestamp ?? '') - Date.parse(before.containerStartTimestamp ?? '');
  const ranFor = (before.containerRunningTimeMs ?? 0) - (now.containerRunningTimeMs ?? Number.POSITIVE_INFINITY);
  return moved >= minMoveMs || ranFor >= minMoveMs;
}

const stateOf = ({ containerState }: Container) => containerState ?? '';

function problemOf({ container: { containerId } }: Slot, what: string): SlotProblem {
  return { reason: `replica ${containerId} ${what}`, container: containerId };
}
