import { createHash, type Hash } from 'node:crypto';
import { closeSync, fstatSync, readSync, type Stats, statSync } from 'node:fs';
import type { Context } from '../../context.ts';
import { openRegular, openRegularSync, toDiskError } from '../../disk/index.ts';
import { type ByteRange, bufferRange, fileRange, streamRange } from '../../transfer/byte-range.ts';
import { downloadRange } from '../../transfer/download-range.ts';
import { parseEtagChecksum } from '../../transfer/etag-checksum.ts';
import { md5 } from '../../transfer/hash.ts';
import type { Part } from '../../transfer/parts.ts';
import { RemoteContent } from '../../transfer/remote-content.ts';
import type { TransferResources } from '../../transfer/resources.ts';
import { ChangedError } from '../../transfer/storage-errors.ts';
import { sizeFromStorage, urlRequester, type VolumePath } from '../volumes/index.ts';
import type { FoundFile, SizedFile } from './found-entry.ts';

export type Calls = Pick<Context, 'api' | 'project'>;

/** The content of a file that is being copied: of one on this machine, or of one on a volume. */
export interface SourceContent {
  bytes: number;
  /** What an earlier try must have seen for its parts to be of use. */
  mark: string;
  read(part: Part): ByteRange;
  /** Throws a ChangedError when it is not any more what it was when it was opened. */
  checkUnchanged(): Promise<void>;
  /** MD5 of a part as it is now, in hex. */
  md5(part: Part): Promise<string>;
  close(): Promise<void>;
}

export async function openSource(found: SizedFile, calls: Calls, resources: TransferResources): Promise<SourceContent> {
  return typeof found.from === 'string'
    ? openLocal(found.from, found.bytes, resources)
    : openRemote(found, found.from, calls, resources);
}

/** The content of a file on a volume, to be compared part by part. */
export function contentToCompare(
  at: VolumePath,
  bytes: number,
  calls: Calls,
  resources: TransferResources,
): RemoteContent {
  return new RemoteContent(bytes, urlRequester(at, calls), resources, undefined, true);
}

/** A file with its size, which the storage tells where the listing does not. Throws a FailedError when neither does. */
export async function resolveSize(found: FoundFile, calls: Calls, resources: TransferResources): Promise<SizedFile> {
  if (found.bytes !== undefined) return { ...found, bytes: found.bytes };
  return { ...found, bytes: await sizeFromStorage(found.from as VolumePath, calls, resources) };
}

/** MD5 of a part of a remote file, by reading it. */
export async function remoteMd5(content: RemoteContent, part: Part, resources: TransferResources): Promise<string> {
  const { signal } = resources;
  const asked = { content, range: part, sink: async () => {}, signal, hash: true, order: 0 };
  return (await downloadRange(asked, resources)) ?? '';
}

/** MD5 of a part of a local file. */
export async function fileMd5(path: string, { offset, length }: Part, { hasher }: TransferResources): Promise<string> {
  return (await hasher?.hashFile(path, offset, length)) ?? '';
}

/** Up to this many bytes a file is read in one go: asking a thread for each step would take ten times as long. */
const readAtOnce = 64 * 1024;

async function openLocal(file: string, bytes: number, resources: TransferResources): Promise<SourceContent> {
  const small = bytes <= readAtOnce ? readSmall(file) : undefined;
  if (small) return small;
  try {
    const handle = await openRegular(file);
    const stats = await handle.stat();
    const mark = markOf(stats);
    return {
      bytes: stats.size,
      mark,
      read: ({ offset }) => fileRange(handle, offset),
      checkUnchanged: async () => checkMark(file, mark),
      md5: (part) => fileMd5(file, part, resources),
      close: () => handle.close(),
    };
  } catch (cause) {
    throw toDiskError(cause);
  }
}

/** Undefined when it is not small any more. */
function readSmall(file: string): SourceContent | undefined {
  try {
    const descriptor = openRegularSync(file);
    try {
      const stats = fstatSync(descriptor);
      if (stats.size > readAtOnce) return undefined;
      const content = Buffer.allocUnsafe(stats.size);
      let read = 0;
      for (let more = 1; more > 0 && read < content.length; read += more) {
        more = readSync(descriptor, content, read, content.length - read, read);
      }
      return smallSource(file, content.subarray(0, read), markOf(stats));
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    throw toDiskError(cause);
  }
}

function smallSource(file: string, content: Buffer, mark: string): SourceContent {
  return {
    bytes: content.length,
    mark,
    read: () => bufferRange(content),
    checkUnchanged: async () => checkMark(file, mark),
    md5: async () => md5(content),
    close: async () => {},
  };
}

/** What tells one state of a file from another. */
function markOf({ size, mtimeMs, ino }: Stats): string {
  return `${size}:${mtimeMs}:${ino}`;
}

function checkMark(file: string, mark: string): void {
  let now: Stats;
  try {
    now = statSync(file);
  } catch (cause) {
    throw toDiskError(cause);
  }
  if (markOf(now) !== mark) throw new ChangedError('it changed while it was being sent');
}

function openRemote(
  { bytes, modified }: SizedFile,
  at: VolumePath,
  calls: Calls,
  resources: TransferResources,
): SourceContent {
  const content = new RemoteContent(bytes, urlRequester(at, calls), resources);
  const whole = new WholeRead(content, resources);
  return {
    bytes,
    mark: `${bytes}:${modified ?? ''}`,
    read: ({ offset, length }) =>
      streamRange(length === bytes ? whole.read() : pieces(content, offset, offset + length, resources)),
    // All of its parts were requested in the version of the first.
    checkUnchanged: async () => whole.check(),
    md5: (part) => remoteMd5(content, part, resources),
    close: async () => {},
  };
}

/** A remote file that is sent on in one piece: what has arrived here can be compared with the storage's checksum. */
class WholeRead {
  #hash: Hash | undefined;
  #bytes = 0;

  constructor(
    private readonly content: RemoteContent,
    private readonly resources: TransferResources,
  ) {}

  async *read(): AsyncGenerator<Buffer> {
    const { content, resources } = this;
    this.#hash = resources.hasher && createHash('md5');
    this.#bytes = 0;
    for await (const piece of (await content.get(undefined, resources.signal)).chunks) {
      this.#hash?.update(piece);
      this.#bytes += piece.length;
      yield piece;
    }
  }

  /** Throws a CorruptError when the last read was of something else. */
  check(): void {
    if (!this.#hash || this.#bytes !== this.content.bytes) return;
    parseEtagChecksum(this.content.etag)?.verify(this.#hash.copy().digest('hex'));
  }
}

async function* pieces(
  content: RemoteContent,
  start: number,
  end: number,
  resources: TransferResources,
): AsyncGenerator<Buffer> {
  yield* (await content.get({ start, end }, resources.signal)).chunks;
}
