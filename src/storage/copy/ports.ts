import type { PartReader } from '../transfer/byte-source.ts';
import type { JournalEntry } from '../transfer/journal.ts';
import type { Part, PartsCopy, SentPart } from '../transfer/parts.ts';
import type { FileSum } from '../transfer/read-content.ts';
import type { FoundFile } from './found-entry.ts';

/** A version of a file that is copied, opened by the place that it goes to. */
export interface OpenFile {
  bytes: number;
  /** Identifies the version of the file: parts of another version cannot be resumed. */
  mark: string;
  /** The largest part, of content whose parts are held in memory. */
  maxPartBytes?: number;
  close(): Promise<void>;
}

export interface SourceContent extends OpenFile {
  /** Reads the parts that an earlier attempt has not sent. */
  createReader(sent: readonly SentPart[]): PartReader;
  /** The parts of an earlier attempt that need not be sent again. */
  resumable(sent: readonly SentPart[]): SentPart[];
  /** Throws a ChangedError if the file has changed since it was opened, or is not the one that was asked for. */
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
