import { type CommandLine, gantryCommand, sentence } from '../../kernel/command-line.ts';
import { isAlive, parseOwnerName } from '../../kernel/disk/index.ts';
import { duration, shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { type Build, buildPhase } from '../../platform/contract/builds.ts';
import { cancelAbandoned } from '../../platform/waiting/index.ts';
import { remoteBuild } from '../builds/index.ts';
import { readHistory } from '../history/index.ts';
import { platformTime } from '../observe.ts';
import { recordEnded } from './record-failure.ts';

/** The life of an upload URL (docs/platform.md#uploads), and what an upload that began in time may take. In ms. */
const maxPendingMs = 600_000 + 60_000;
/** How long an upload of the team may take, by a line of one megabit a second. In ms. */
const maxUploadMs = (bytes = 0) => 60_000 + bytes / 125;

/** Whether a build waits for its upload. */
export function isPending(status: string): boolean {
  return /^pending$/i.test(status);
}

/** Whether a build will still change by itself. */
export function isBusy({ status }: Pick<Build, 'status'>): boolean {
  return status !== '' && buildPhase(status) === 'in progress';
}

/** Whether a build waits for an upload whose URL has expired. `now`: by the platform's clock. */
export function isExpired({ status, createdAt }: Build, now: number): boolean {
  return isPending(status) && now - Date.parse(createdAt ?? '') > maxPendingMs;
}

/**
 * Tells builds that can become live from those that wait for an upload which never comes: its URL has expired, or by what is
 * on record nobody sends it any more. Nobody should wait for these. Each is named once.
 */
export class StuckBuilds {
  readonly #named = new Set<string>();

  constructor(
    private readonly context: Context,
    private readonly app: string,
  ) {}

  /** The builds in progress that can still start. */
  async without(builds: readonly Build[]): Promise<Build[]> {
    const now = platformTime(this.context);
    const busy: Build[] = [];
    for (const build of builds.filter(isBusy)) {
      const proof = isPending(build.status) ? await this.#findProof(build, now) : undefined;
      if (proof) await this.#tell(build, proof);
      else busy.push(build);
    }
    return busy;
  }

  /** Says how to go on without builds that wait for their upload: their deploys may be gone. */
  note(builds: readonly Build[]): void {
    for (const { id } of builds.filter(({ id, status }) => isPending(status) && this.#isNew(`waits ${id}`))) {
      const goOn = sentence`if nobody uploads it any more: ${this.#cancelLine(id)}`;
      this.context.progress.note(sentence`build ${shortBuild(id)} of ${this.app} still waits for its upload; ${goOn}`);
    }
  }

  /** What shows that nobody uploads a pending build any more. `isOwn`: a deploy of this machine left it, for certain. */
  async #findProof(build: Build, now: number): Promise<Proof | undefined> {
    const { context, app } = this;
    const name = `build ${shortBuild(build.id)} of ${app}`;
    if (isExpired(build, now)) {
      const age = duration(now - Date.parse(build.createdAt ?? ''));
      return { message: `${name} cannot start any more: it is pending for ${age}, and its upload URL has expired` };
    }
    const history = await readHistory(context, app);
    const owner = parseOwnerName(history.created(build.id)?.process ?? '');
    const isRunning = owner && isAlive(owner);
    if (isRunning) return undefined;
    // A process may have uploaded its build before it ended.
    const sent = (owner ? await readHistory(context, app) : history).sent(build.id);
    if (sent && !sent.unconfirmed) return undefined;
    if (isRunning === false)
      return { message: `${name} never got its files: the deploy that created it from here was killed`, isOwn: true };
    const sendingMs = now - Date.parse(sent?.at ?? '');
    if (!sent || !(sendingMs > maxUploadMs(sent.bytes))) return undefined;
    return { message: `nothing has come of ${name}, whose upload by ${sent.by} began ${duration(sendingMs)} ago` };
  }

  async #tell({ id }: Build, { message, isOwn }: Proof): Promise<void> {
    const { context, app } = this;
    if (!this.#isNew(id)) return;
    if (!isOwn) return context.progress.warn({ severity: 'warning', message, fix: this.#cancelLine(id) });
    context.progress.note(message);
    const status = await cancelAbandoned(context, remoteBuild(context.project, app, id));
    if (status === 'cancelled') await recordEnded(context, app, id, 'the deploy that created it was killed');
  }

  #isNew(name: string): boolean {
    return this.#named.size < this.#named.add(name).size;
  }

  #cancelLine(build: string): CommandLine {
    return gantryCommand`builds cancel ${this.app} ${build}`;
  }
}

interface Proof {
  message: string;
  isOwn?: true;
}
