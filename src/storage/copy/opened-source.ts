import type { FileSum } from '../transfer/file-sum.ts';
import type { PartReader } from '../transfer/part-reader.ts';
import type { Part, SentPart } from '../transfer/parts.ts';

/** The content of a file that is copied. */
export interface SourceContent {
  bytes: number;
  /** Identifies the version of the file: parts of another version cannot be resumed. */
  mark: string;
  /** Of content whose parts are held in memory. */
  maxPartBytes?: number;
  /** Reads the parts that an earlier attempt has not sent. */
  createReader(sent: readonly SentPart[]): PartReader;
  /** Those of the parts that an earlier attempt has sent which need not be sent again. */
  resumable(sent: readonly SentPart[]): SentPart[];
  /** Throws a ChangedError if the file has changed since it was opened, or is not the one that was asked for. */
  checkUnchanged(): Promise<void>;
  /** What a copy is compared with: the MD5 of a part as it is now, in hex, or the checksum of the file. */
  original: Original;
  close(): Promise<void>;
}

export type Original = FileSum | ((part: Part) => Promise<string>);
