import { posix } from 'node:path';
import { makePrivateFolder } from '../../kernel/disk/index.ts';
import { FailedError, UnavailableError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { toPathSegment } from '../../platform/contract/endpoint.ts';
import { contextUntil, noStep, timeoutSignal } from '../../platform/waiting/index.ts';
import type { CopyOptions, CopyTarget, FoundFile } from '../../storage/copy/index.ts';
import { formatRemotePath } from '../../storage/transfer/remote-path.ts';
import type { ListedEntry, VolumePath } from '../../storage/volumes/index.ts';

/** How long a command waits for the volume at most, and how much longer for each byte that it sends or receives. */
const maxWaitMs = 10_000;
const msPerByte = 1_000 / 2 ** 20;
/** The volume's share of what `--timeout` has left, and what it gets in any case. */
const share = 0.25;
const minWaitMs = 1_000;
/** A volume that did not reply in time is not waited for again so soon. */
const restMs = 60_000;

/** The halves of what is done with a volume: one may fail while the other works. */
type Half = 'read' | 'write';

/**
 * A folder of a volume, whose use shows nothing and is bounded: one that hangs takes little of a command's time, and that
 * once. Everything throws UnavailableError if there is no reply in time. Most commands share nothing: what works with
 * volumes is loaded by those that do.
 */
export class TeamVolume {
  readonly #silentAt: Record<Half, number> = { read: Number.NEGATIVE_INFINITY, write: Number.NEGATIVE_INFINITY };

  constructor(private readonly root: VolumePath) {}

  /** As users write it. */
  get place(): string {
    return formatRemotePath(this.root);
  }

  /** The files of a folder. */
  list(context: Context, folder: string): Promise<ListedEntry[]> {
    return this.#inTime(context, 'read', 0, async (quiet) => {
      const { listIfExists } = await import('../../storage/volumes/index.ts');
      return listIfExists(quiet, this.#at(`${folder}/`));
    });
  }

  /** Downloads files into a folder of this machine. Throws the first failure. */
  async download(context: Context, entries: readonly ListedEntry[], path: string): Promise<void> {
    makePrivateFolder(path);
    const files = entries.map(({ name, path: from, size, modified }): FoundFile => {
      const time = Date.parse(modified ?? '');
      return { path: name, from: { ...this.root, path: from }, bytes: size ?? undefined, modified: time || undefined };
    });
    const [failed] = (await this.#copy(context, 'read', files, { kind: 'local', path })).values();
    if (failed !== undefined) throw new FailedError(failed);
  }

  /** Uploads files. Returns why each of them that failed did. */
  send(context: Context, files: readonly FoundFile[]): Promise<Map<string, string>> {
    return this.#copy(context, 'write', files, { kind: 'remote', at: this.#at('') });
  }

  /** Removes files, or a folder whose path ends in a slash. Throws the first failure. */
  delete(context: Context, paths: readonly string[]): Promise<void> {
    return this.#inTime(context, 'write', 0, async (quiet) => {
      const { deletePaths } = await import('../../storage/volumes/index.ts');
      const targets = paths.map((path) => this.#at(path));
      for (const { error } of await deletePaths(quiet, targets)) if (error) throw error;
    });
  }

  #at(path: string): VolumePath {
    return { ...this.root, path: `${this.root.path}/${path}` };
  }

  #copy(context: Context, half: Half, files: readonly FoundFile[], folder: CopyTarget['folder']) {
    const bytes = files.reduce((sum, file) => sum + (file.bytes ?? 0), 0);
    return this.#inTime(context, half, bytes, async (quiet) => {
      const { copyFiles } = await import('../../storage/copy/index.ts');
      const find = async function* () {
        yield* files;
      };
      const plan = { from: [], to: '', find, target: { folder, name: undefined }, isSingleFile: false };
      const { failed } = await copyFiles(quiet, plan, options);
      return new Map(failed.map(({ path, reason }) => [path, reason]));
    });
  }

  async #inTime<T>(context: Context, half: Half, bytes: number, work: (quiet: Context) => Promise<T>): Promise<T> {
    const { elapsed, end, signal } = context;
    // One that cannot be read is not written to either: to write, one reads.
    const silentAt = half === 'read' ? this.#silentAt.read : Math.max(this.#silentAt.read, this.#silentAt.write);
    if (elapsed() - silentAt < restMs) throw noReply();
    const leftMs = end.at === undefined ? Number.POSITIVE_INFINITY : end.at - elapsed();
    const waitMs = Math.min(maxWaitMs + bytes * msPerByte, Math.max(minWaitMs, leftMs * share));
    const quiet = quietly(context, timeoutSignal(waitMs, noReply, signal));
    try {
      return await work(quiet);
    } finally {
      if (quiet.signal.aborted && !signal.aborted) this.#silentAt[half] = elapsed();
    }
  }
}

const noReply = () => new UnavailableError('no reply in time');

/** Nothing can be resumed: what is missing is copied the next time. */
const options: CopyOptions = {
  ...{ include: [], exclude: [], follow: false, clobber: true, update: false, renameClashes: false, dryRun: false },
  ...{ check: true, verify: false, resume: false, keepJournal: false },
  ...{ concurrency: undefined, partSize: undefined, limitRate: undefined },
};

/** A context that shows nothing, and whose requests and pauses end with a signal. */
function quietly(context: Context, signal: AbortSignal): Context {
  const apiWithSignal: Context['apiWithSignal'] = (until, _, send) => context.apiWithSignal(until, () => {}, send);
  const progress = { ...context.progress, step: () => noStep, note() {}, warn() {}, event() {} };
  const quiet = { apiWithSignal, api: apiWithSignal(signal), onRetry: () => {}, interruption: {}, progress };
  return contextUntil(context, signal, quiet);
}

/** An app's name as the name of a folder. */
export function folderName(app: string): string {
  const name = toPathSegment(app, 'app');
  return posix.basename(name) === name && !name.startsWith('.') ? name : `_${name}`;
}
