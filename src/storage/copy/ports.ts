import type { GantryError } from '../../kernel/errors.ts';
import type { Api } from '../../platform/api/client.ts';
import type { Context } from '../../platform/context.ts';
import type { PartReader } from '../transfer/byte-source.ts';
import type { Journal, JournalEntry } from '../transfer/journal.ts';
import type { Part, PartsCopy, SentPart } from '../transfer/parts.ts';
import type { FileSum } from '../transfer/read-content.ts';
import type { TransferContext } from '../transfer/transfer-context.ts';
import type { WebFile } from '../transfer/web-file.ts';
import type { VolumePath, WalkedFile } from '../volumes/index.ts';
import type { CopyProgress } from './copy-progress.ts';

export interface CopyContext {
  /** Counts its retries instead of printing each. */
  api: Api;
  /** For a file that is sent on while it is received: on the connections of the upload, its request could wait for ever. */
  sourceApi: Api;
  project: string;
  resources: TransferContext;
  progress: CopyProgress;
  /** Undefined if the copy cannot be resumed. */
  journal: Journal | undefined;
  options: CopyOptions;
  command: Context;
}

export interface CopyOptions {
  include: readonly string[];
  exclude: readonly string[];
  /** Follows symbolic links; otherwise they are skipped. */
  follow: boolean;
  clobber: boolean;
  /** Skips unchanged files: same size, not older. */
  update: boolean;
  dryRun: boolean;
  /** Compares checksums during the transfer. */
  check: boolean;
  /** Reads the copies back and compares checksums. */
  verify: boolean;
  resume: boolean;
  /** Records progress in a journal, so that the copy can be resumed. */
  keepJournal: boolean;
  /** Requests in flight; undefined: adaptive. */
  concurrency: number | undefined;
  /** In bytes; undefined: adaptive. */
  partSize: number | undefined;
  /** In bytes per second; undefined: unlimited. */
  limitRate: number | undefined;
}

/** What a copy does if nothing else is asked for. */
export const usualCopy: CopyOptions = {
  include: [],
  exclude: [],
  follow: false,
  clobber: true,
  update: false,
  dryRun: false,
  check: true,
  verify: false,
  resume: true,
  keepJournal: true,
  concurrency: undefined,
  partSize: undefined,
  limitRate: undefined,
};

/** Its path is relative to the target folder. */
export interface FoundFile extends WalkedFile {
  /** A file of this machine, of a volume or of the web. */
  from: string | VolumePath | WebFile;
}

export type UncopiedEntry = { path: string; skipped: string } | { path: string; failure: GantryError };

export type FoundEntry = FoundFile | UncopiedEntry;

/** Disks store times with less precision than the platform. */
export const diskToleranceMs = 1_000;

/** Whether the existing copy has the same size and is not older. Does not compare contents. */
export function isUnchanged(
  { bytes, modified }: Pick<FoundFile, 'bytes' | 'modified'>,
  existing: Pick<FoundFile, 'bytes' | 'modified'>,
  toleranceMs = 0,
): boolean {
  if (existing.bytes !== bytes || existing.modified === undefined || modified === undefined) return false;
  return existing.modified + toleranceMs >= modified;
}

/** A version of a file that is copied, opened by the place that it goes to. */
export interface OpenFile {
  bytes: number;
  /** Identifies the version of the file: parts of another version cannot be resumed. */
  mark: string;
  /** The largest part, of content whose parts are held in memory. */
  maxPartBytes?: number;
  /** Throws a ChangedError if the file has changed since it was opened, or is not the one that was asked for. */
  checkUnchanged?(): Promise<void>;
  close(): Promise<void>;
}

export interface SourceContent extends OpenFile {
  /** Reads the parts that an earlier attempt has not sent. */
  createReader(sent: readonly SentPart[]): PartReader;
  /** The parts of an earlier attempt that need not be sent again. */
  resumable(sent: readonly SentPart[]): SentPart[];
  checkUnchanged(): Promise<void>;
  /** What a copy is compared with: the MD5 of a part as it is now, in hex, or the checksum of the file. */
  original: Original;
}

export type Original = FileSum | ((part: Part) => Promise<string>);

/** A folder that files are copied to: one of this machine, or of a volume. */
export interface TargetPlace {
  /** How much older than its source an unchanged file may be, in ms. */
  readonly toleranceMs: number;
  /** The file that is there; undefined if there is none. */
  find(path: string): Promise<Pick<FoundFile, 'bytes' | 'modified'> | undefined>;
  open(file: FoundFile): Promise<OpenFile>;
  /** Whether the file is still there as an earlier process has left it at these times. */
  isThere(file: FoundFile, opened: OpenFile, times: NonNullable<JournalEntry['times']>): Promise<boolean>;
  /** Copies, proves and places what is missing. `since` is by the storage's clock; `count` once it is on record. */
  write(file: FoundFile, opened: OpenFile, job: CopyJob): Promise<{ since: number; count: () => void }>;
  /** Reads the copy and compares it with the file. Throws a CorruptError if they differ. */
  verify(file: FoundFile, opened: OpenFile): Promise<void>;
  /** Called for each file, in the order they are found. */
  expect?(file: FoundFile): void;
  /** Called when the copy of an expected file has succeeded or failed. */
  end?(file: FoundFile): void;
  /** Resolves when all copied files have been confirmed or failed. */
  finish?(): Promise<void>;
  close?(): void;
}

type Attempt = NonNullable<JournalEntry['attempt']>;

export interface CopyJob extends PartsCopy<Attempt> {
  /** What an earlier process has begun; `saved` has it, too, if it may be resumed. */
  begun: Attempt | undefined;
  /** Whether to keep what is unfinished after a failure, to resume it by the journal. */
  keep: boolean;
}
