import { rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, OpenedFolders, type TemporaryNames } from '../../kernel/disk/index.ts';
import { FailedError } from '../../kernel/errors.ts';
import { downloadFile, type FileDownload } from '../transfer/download-file.ts';
import { withDiskErrors } from '../transfer/storage-errors.ts';
import { urlRequester, type VolumePath } from '../volumes/index.ts';
import {
  type CopyContext,
  type CopyJob,
  diskToleranceMs,
  type FoundFile,
  type OpenFile,
  type TargetPlace,
} from './ports.ts';
import { contentToCompare, fileMd5, remoteMark, verifyCopy } from './source-content.ts';

export class LocalPlace implements TargetPlace {
  readonly toleranceMs = diskToleranceMs;
  readonly #opened: OpenedFolders;
  #isCreated = false;

  constructor(
    private readonly context: CopyContext,
    private readonly path: string,
    private readonly names: TemporaryNames,
  ) {
    this.#opened = new OpenedFolders(path, { forWriting: true });
  }

  async find(path: string) {
    const there = await stat(join(this.path, ...namesIn(path))).catch(() => undefined);
    return there?.isFile() ? { bytes: there.size, modified: there.mtimeMs } : undefined;
  }

  /** Throws a FailedError for a name that leads elsewhere or that the system does not allow. */
  async open(file: FoundFile): Promise<TargetFile> {
    const names = namesIn(file.path);
    const parents = names.slice(0, -1);
    return withDiskErrors(() => {
      if (!this.#isCreated) makeFolder(this.path);
      this.#isCreated = true;
      const { entry, verify: check, release } = this.#opened.open(parents);
      return {
        bytes: file.bytes,
        mark: remoteMark(file),
        path: entry(names.at(-1) ?? ''),
        folder: join(this.path, ...parents),
        check,
        close: async () => release(),
      };
    });
  }

  /** A downloaded file has the time of the remote one until it is changed. */
  async isThere({ bytes, modified }: FoundFile, { path }: TargetFile): Promise<boolean> {
    const there = await stat(path).catch(() => undefined);
    if (there?.size !== bytes || modified === undefined) return false;
    return Math.abs(there.mtimeMs - modified) < diskToleranceMs;
  }

  verify({ from, bytes }: FoundFile, { path }: TargetFile): Promise<void> {
    const { context } = this;
    const { resources } = context;
    const copied = (part: Parameters<typeof fileMd5>[1]) => fileMd5(path, part, resources);
    return verifyCopy(copied, contentToCompare(from as VolumePath, bytes, context, resources), resources);
  }

  close(): void {
    this.#opened.close();
  }

  async write(file: FoundFile, placed: TargetFile, job: CopyJob): ReturnType<TargetPlace['write']> {
    const { context, names } = this;
    const { progress, journal, resources, options } = context;
    const { path, bytes, modified } = file;
    const { path: target, folder } = placed;
    const since = resources.now();
    const saved = usable(job);
    // An unfinished download that cannot be resumed would stay until its journal is removed.
    if (job.begun && 'temporary' in job.begun && !saved)
      await rm(join(dirname(target), job.begun.temporary), { force: true });
    const download: FileDownload = {
      ...job,
      target,
      folder,
      names,
      modified,
      saved,
      createUrl: urlRequester(file.from as VolumePath, context),
      confirm: async (temporary) => {
        if (options.verify) await this.verify(file, { ...placed, path: temporary });
        placed.check();
      },
      onStarted: (attempt) => {
        job.onStarted(attempt);
        void journal?.written().then(() => names.keep(join(folder, attempt.temporary), journal.path));
      },
    };
    const resumedBytes = await downloadFile(download, resources);
    placed.check();
    return { since, count: () => progress.copied(path, bytes, resumedBytes) };
  }
}

/** The temporary file of a previous attempt. */
function usable({ saved }: CopyJob): FileDownload['saved'] {
  if (!saved || !('temporary' in saved.attempt) || saved.parts.length === 0) return undefined;
  return { attempt: saved.attempt, parts: saved.parts };
}

interface TargetFile extends OpenFile {
  /** Leads to the checked folder, even if a symbolic link replaces it meanwhile. */
  path: string;
  /** The absolute path of the folder as the user knows it. */
  folder: string;
  /** Throws a FailedError if the folder was moved or replaced. Call it before and after the final rename. */
  check(): void;
}

/** The names of a remote path. Throws a FailedError if one leads outside, or is not allowed here. */
function namesIn(path: string): string[] {
  const names = path.split('/');
  for (const name of names) {
    const why = nameProblem(name, process.platform === 'win32');
    if (why) throw new FailedError(`the name cannot be used on this machine: ${why}`);
  }
  return names;
}

/** Why a remote name cannot be used for a local file or folder; undefined if it can. */
export function nameProblem(name: string, windows: boolean): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'it leads to another folder';
  if (name.includes('\0')) return 'it contains a NUL character';
  if (!windows) return undefined;
  if (/[\x01-\x1f<>:"|?*\\]/.test(name)) return 'it contains a character that Windows does not allow';
  if (/[. ]$/.test(name)) return 'Windows removes its trailing dot or space';
  if (/^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$/i.test(name)) return 'it is a device name on Windows';
  return undefined;
}
