/** What is known of the files of one app folder, by their path. It holds as long as the identity of a file does. */
import { createHash } from 'node:crypto';
import { statfsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { writeFileAtomic } from '../../kernel/disk/index.ts';
import { attempt } from '../../kernel/errors.ts';
import { tryParseJson } from '../../kernel/json-text.ts';
import type { FileStats } from '../files/entry.ts';

/** Checksums of a content. SHA-256 is its identity; CRC-32 is what zip archives and the platform's lists have. */
export interface Checksums {
  crc32: number;
  sha256: string;
}

/** Where what a file compresses to is, and its CRC-32. */
export interface MemberPlace {
  at: number;
  length: number;
  sum: number;
}

export interface KnownContent extends Checksums {
  size: number;
  /** Null if it does not shrink; undefined if only its checksums are known, because it was read and not packed. */
  packed: MemberPlace | null | undefined;
}

interface KnownFile {
  content: KnownContent;
  /** Undefined if the file may have changed since without a trace: only its content tells. */
  stats?: FileStats | undefined;
}

export class FileIndex {
  private constructor(
    /** What the archive depends on besides the files. */
    private readonly salt: string,
    /** The device of the files; undefined if their change times cannot be trusted. */
    readonly device: number | undefined,
    private readonly files: Map<string, KnownFile>,
  ) {}

  /** Reads the index; a missing or damaged file gives an empty one. */
  static async read(path: string, compression: string, device: number | undefined): Promise<FileIndex> {
    const salt = `files 8 ${device}\n${compression}`;
    const text = await readFile(path, 'utf8').catch(() => '');
    const body = text.slice(digestLength);
    const isWhole = text.startsWith(digestOf(salt, body));
    const files = isWhole ? (tryParseJson(body) as [path: string, file: KnownFile][]) : [];
    return new FileIndex(salt, device, new Map(files));
  }

  /** What is known of a file that has not changed. */
  recall(path: string, stats: FileStats | undefined): KnownContent | undefined {
    const { stats: earlier, content } = this.files.get(path) ?? {};
    if (!earlier || !stats || stats.dev !== this.device) return undefined;
    return identity.every((name) => earlier[name] === stats[name]) ? content : undefined;
  }

  /** Whether a file with these stats cannot change without a trace. */
  canLearn({ dev, ctimeMs }: FileStats, startedAt: number): boolean {
    return dev === this.device && ctimeMs < startedAt - settledMs;
  }

  /** What is known of a file, whether or not it has changed. */
  contentOf(path: string): KnownContent | undefined {
    return this.files.get(path)?.content;
  }

  set(path: string, stats: FileStats | undefined, content: KnownContent): void {
    this.files.set(path, { content, stats });
  }

  /** Without files that are not `among` these. Throws system errors. */
  async write(file: string, among?: ReadonlySet<string>): Promise<void> {
    const files = [...this.files].filter(([path]) => among?.has(path) ?? true);
    const body = JSON.stringify(files);
    await writeFileAtomic(file, digestOf(this.salt, body) + body, { mode: 0o600 });
  }
}

const identity = ['ino', 'size', 'mtimeMs', 'ctimeMs'] as const;

const digestLength = 64;

/** Damage and other versions of the format differ in it. */
function digestOf(salt: string, body: string): string {
  return createHash('sha256').update(`${salt}\n`).update(body).digest('hex');
}

/** Local disks, by the magic number of statfs. Others cache (network), lack change times (FAT) or miss some (tmpfs). */
const trustedFileSystems = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0xf2f52010, // F2FS
  0x2fc12fc1, // ZFS
  0x794c7630, // overlayfs, in containers
]);

/** The device of a folder, if the change times of its files can be trusted. */
export function trustedDevice(folder: string): number | undefined {
  const isTrusted = attempt(() => process.platform === 'linux' && trustedFileSystems.has(statfsSync(folder).type));
  return isTrusted ? statSync(folder, { throwIfNoEntry: false })?.dev : undefined;
}

/**
 * A file that changed later than this before a packing is read again by the next one. A change right after we have read
 * it may get the same change time, whose steps are up to two seconds long; and a page that a program has mapped gets a
 * new one only after it was written back, which takes up to 35 seconds.
 */
const settledMs = 60_000;
