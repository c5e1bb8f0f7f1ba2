import { gantryCommand, sentence } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { type Build, buildPhase } from '../../contract/builds.ts';
import { isAlive, parseOwnerName } from '../../disk/index.ts';
import { duration, shortBuild } from '../../output/format.ts';
import { remoteBuild } from '../builds/index.ts';
import { type AppHistory, readHistory } from '../history/index.ts';
import { cancelAbandoned } from '../waiting/index.ts';
import { findKilledCreations, settleMs } from './killed-creation.ts';
import { isPending, maxPendingMs } from './pending-upload.ts';
import { recordCanceled } from './record-canceled.ts';

/** Packing and uploading take this long now and then. Who waits for longer learns what can be done. In ms. */
const longPendingMs = 30_000;

/** Whether a build will still change by itself. */
export function isBusy({ status }: Pick<Build, 'status'>): boolean {
  return status !== '' && buildPhase(status) === 'in progress';
}

/** Whether a build waits for an upload whose URL has expired. `now`: by the platform's clock. */
export function isExpired({ status, createdAt }: Build, now: number): boolean {
  return isPending(status) && now - Date.parse(createdAt ?? '') > maxPendingMs;
}

/**
 * Tells builds that can become live from those that cannot start any more, for which nobody should wait: their upload URL
 * has expired, or the deploy that was to upload them was killed. Each of these is named once. Those that this machine
 * left behind are canceled.
 */
export class StuckBuilds {
  readonly #named = new Set<string>();
  readonly #noted = new Set<string>();
  /** Since when each is seen pending, for platforms that show no times and machines with a wrong clock. */
  readonly #pendingSince = new Map<string, number>();
  #history: AppHistory | undefined;
  #killedCreations: Promise<Build[]> | undefined;
  #lost: string | undefined;

  constructor(
    private readonly context: Context,
    private readonly app: string,
  ) {}

  /** The builds that may be of this deploy, as the reply that would tell was lost. Each is named already. */
  learnLost(ids: readonly string[]): void {
    // One of several is somebody else's.
    if (ids.length === 1) this.#lost = ids[0];
  }

  /** The builds in progress that can still start. `now`: by the platform's clock, as far as it is known. */
  async without(builds: readonly Build[], now = this.context.platformNow()): Promise<Build[]> {
    const busy: Build[] = [];
    for (const build of builds.filter(isBusy)) {
      if (await this.#isLeftBehind(build)) await this.#cancel(build);
      else if (await this.#isOfKilledCreation(build)) this.#nameKilled(build);
      else if (isExpired(build, now) || this.#hasBeenPending(build, maxPendingMs)) this.#name(build, now);
      else if (build.id !== this.#lost || !this.#hasBeenPending(build, settleMs)) busy.push(build);
    }
    return busy;
  }

  /** Says how to go on without a build that has been waiting for its upload for long: its deploy may be gone. */
  noteLongPending(builds: readonly Build[], waitedMs: number): void {
    if (waitedMs < longPendingMs) return;
    for (const { id } of builds.filter(({ id, status }) => isPending(status) && !this.#noted.has(id))) {
      this.#noted.add(id);
      this.context.progress.note(
        sentence`build ${shortBuild(id)} of ${this.app} still waits for its upload; if nobody uploads it any more: ${gantryCommand`builds cancel ${this.app} ${id}`}`,
      );
    }
  }

  /** Whether a deploy on this machine created it, and ended without an upload. */
  async #isLeftBehind({ id, status }: Build): Promise<boolean> {
    if (!isPending(status)) return false;
    if (!this.#history || !this.#pendingSince.has(id)) this.#history = await readHistory(this.context, this.app);
    const created = this.#history.created(id);
    const owner = created && parseOwnerName(created.process);
    if (!owner || isAlive(owner) !== false) return false;
    // It may have uploaded the build before it ended.
    this.#history = await readHistory(this.context, this.app);
    const sent = this.#history.sent(id);
    return sent === undefined || sent.unconfirmed === true;
  }

  /** Whether a deploy on this machine seems to have asked for it, and was killed before it knew its id. */
  async #isOfKilledCreation({ id, status }: Build): Promise<boolean> {
    if (!isPending(status) || this.#history?.created(id)) return false;
    this.#killedCreations ??= findKilledCreations(this.context, this.app);
    return (await this.#killedCreations).some((build) => build.id === id);
  }

  #hasBeenPending({ id, status }: Build, ms: number): boolean {
    if (!isPending(status)) return false;
    const now = this.context.elapsed();
    const since = this.#pendingSince.get(id) ?? now;
    this.#pendingSince.set(id, since);
    return now - since > ms;
  }

  async #cancel({ id }: Build): Promise<void> {
    if (this.#named.has(id)) return;
    this.#named.add(id);
    const { context, app } = this;
    context.progress.note(
      `build ${shortBuild(id)} of ${app} never got its files: the deploy that created it from here was killed`,
    );
    const status = await cancelAbandoned(context, remoteBuild(context.project, app, id));
    if (status === 'cancelled') await recordCanceled(context, app, id, 'the deploy that created it was killed');
  }

  #nameKilled({ id }: Build): void {
    if (this.#named.has(id)) return;
    this.#named.add(id);
    this.context.progress.warn({
      severity: 'warning',
      message: `build ${shortBuild(id)} of ${this.app} seems to be of a deploy from here that was killed: it gets no upload`,
      why: 'the platform does not show who created it, so it is not canceled; nothing waits for it',
      fix: gantryCommand`builds cancel ${this.app} ${id}`,
    });
  }

  #name({ id, createdAt }: Build, now: number): void {
    if (this.#named.has(id)) return;
    this.#named.add(id);
    const age = now - Date.parse(createdAt ?? '');
    this.context.progress.warn({
      severity: 'warning',
      message: `build ${shortBuild(id)} of ${this.app} cannot start any more: it is pending${age > 0 ? ` for ${duration(age)}` : ''}, and its upload URL has expired`,
      fix: gantryCommand`builds cancel ${this.app} ${id}`,
    });
  }
}
