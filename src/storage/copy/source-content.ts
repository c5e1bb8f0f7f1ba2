import { createHash, type Hash } from 'node:crypto';
import { closeSync, fstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { basename } from 'node:path';
import { gantryCommand, quoteForShell, sentence } from '../../kernel/command-line.ts';
import { openRegular, openRegularSync, toDiskError } from '../../kernel/disk/index.ts';
import { FailedError } from '../../kernel/errors.ts';
import { bufferSource, directReader, fileSource, streamSource } from '../transfer/byte-source.ts';
import { downloadRange } from '../transfer/download-range.ts';
import { etagCheck, md5 } from '../transfer/hash.ts';
import { forEachPart, type Part, planParts, type SentPart } from '../transfer/parts.ts';
import type { RangeBounds } from '../transfer/range-request.ts';
import { readSums } from '../transfer/read-content.ts';
import { RemoteContent } from '../transfer/remote-content.ts';
import { ChangedError, CorruptError, withDiskErrors } from '../transfer/storage-errors.ts';
import type { TransferContext } from '../transfer/transfer-context.ts';
import { findEntry, urlRequester, type VolumeContext, type VolumePath } from '../volumes/index.ts';
import type { CopyContext, FoundFile, Original, SourceContent } from './ports.ts';
import { openWebFile } from './web-content.ts';

export async function openSource(
  file: FoundFile,
  { sourceApi, project }: Pick<CopyContext, 'sourceApi' | 'project'>,
  resources: TransferContext,
): Promise<SourceContent> {
  if (typeof file.from === 'string') return openLocal(file.from, file.bytes, resources);
  if ('url' in file.from) return openWebFile(file.from, file.bytes, resources);
  return openRemote(file, file.from, { api: sourceApi, project }, resources);
}

export function contentToCompare(
  at: VolumePath,
  bytes: number,
  context: VolumeContext,
  resources: TransferContext,
): RemoteContent {
  return new RemoteContent(bytes, urlRequester(at, context), resources, undefined, true);
}

/** Looks again at a file of a volume, which may have another size and time. */
export async function findAgain(file: FoundFile, context: VolumeContext): Promise<FoundFile> {
  if (typeof file.from === 'string' || 'url' in file.from) return file;
  const { bytes, modified } = await findEntry(context, file.from);
  return { ...file, bytes, modified };
}

export function remoteMark({ bytes, modified }: FoundFile): string {
  return `${bytes}:${modified ?? ''}`;
}

export async function remoteMd5(content: RemoteContent, part: Part, resources: TransferContext): Promise<string> {
  const { signal } = resources;
  const asked = { content, range: part, sink: async () => {}, signal, hash: true, order: 0 };
  return (await downloadRange(asked, resources)) ?? '';
}

export function fileMd5(path: string, { offset, length }: Part, { hasher }: TransferContext): Promise<string> {
  return hasher.hashFile(path, offset, length);
}

/** Reads a remote file and compares it with its original. Throws a CorruptError if they differ. */
export async function verifyCopy(original: Original, content: RemoteContent, resources: TransferContext) {
  const silently = { ...resources, onBytes: () => {} };
  if (typeof original === 'object') {
    const { hex } = await readSums(content, original.algorithm, silently);
    if (hex !== original.hex) throw new CorruptError('the copy differs from the source');
    return;
  }
  await forEachPart(planParts(content.bytes), new Set(), silently, async (part) => {
    const [here, there] = await Promise.all([original(part), remoteMd5(content, part, silently)]);
    if (here !== there) throw new CorruptError(`the copy differs from the source after byte ${part.offset}`);
  });
}

/** Files up to this size are read synchronously: going through the thread pool would take ten times as long. */
const maxSyncBytes = 64 * 1024;

async function openLocal(file: string, bytes: number, resources: TransferContext): Promise<SourceContent> {
  const small = bytes <= maxSyncBytes ? readSmall(file) : undefined;
  if (small) return small;
  try {
    const handle = await openRegular(file);
    return localSource(file, await handle.stat(), {
      createReader: () => directReader(({ offset }) => fileSource(handle, offset)),
      original: (part) => fileMd5(file, part, resources),
      close: () => handle.close(),
    });
  } catch (cause) {
    throw toDiskError(cause);
  }
}

const allParts = (sent: readonly SentPart[]) => [...sent];

function localSource(
  file: string,
  stats: Stats,
  content: Pick<SourceContent, 'createReader' | 'original' | 'close'>,
): SourceContent {
  const mark = markOf(stats);
  const checkUnchanged = async () => {
    if (markOf(withDiskErrors(() => statSync(file))) !== mark)
      throw new ChangedError('the file changed during the upload');
  };
  return { bytes: stats.size, mark, resumable: allParts, checkUnchanged, ...content };
}

/** Undefined if the file has grown beyond the limit. */
function readSmall(file: string): SourceContent | undefined {
  return withDiskErrors(() => {
    const descriptor = openRegularSync(file);
    try {
      const stats = fstatSync(descriptor);
      if (stats.size > maxSyncBytes) return undefined;
      const content = readFileSync(descriptor);
      if (stats.size === 0 && content.length > 0) throw unknownSize(file);
      const start = content.subarray(0, stats.size);
      return localSource(file, stats, {
        createReader: () => directReader(() => bufferSource(start)),
        original: async () => md5(start),
        close: async () => {},
      });
    } finally {
      closeSync(descriptor);
    }
  });
}

/** As below /proc. */
function unknownSize(file: string): FailedError {
  return new FailedError('it has content, but the system says that its size is 0', {
    fix: sentence`pipe it: cat ${quoteForShell(file)} | ${gantryCommand`cp - :/${basename(file)}`}`,
  });
}

function markOf({ size, mtimeMs, ino }: Stats): string {
  return `${size}:${mtimeMs}:${ino}`;
}

function openRemote(
  file: FoundFile,
  at: VolumePath,
  context: VolumeContext,
  resources: TransferContext,
): SourceContent {
  const { bytes } = file;
  const receiving = { ...resources, dispatcher: resources.sourceDispatcher };
  const content = new RemoteContent(bytes, urlRequester(at, context), receiving);
  let hash: Hash | undefined;
  let received = 0;
  const whole = async function* () {
    hash = resources.check ? createHash('md5') : undefined;
    received = 0;
    for await (const piece of pieces(content, undefined, resources)) {
      hash?.update(piece);
      received += piece.length;
      yield piece;
    }
  };
  return {
    bytes,
    mark: remoteMark(file),
    createReader: () =>
      directReader(({ offset: start, length }) =>
        streamSource(length === bytes ? whole() : pieces(content, { start, end: start + length }, resources)),
      ),
    resumable: allParts,
    // Parts are requested in the version of the first one; what was read at once is compared with the storage's checksum.
    checkUnchanged: async () => {
      if (hash && received === bytes) etagCheck(content.version)?.(hash.copy().digest('hex'));
    },
    original: (part) => remoteMd5(content, part, resources),
    close: async () => {},
  };
}

async function* pieces(content: RemoteContent, range: RangeBounds | undefined, { signal }: TransferContext) {
  for await (const { bytes } of (await content.get(range, signal)).pieces) yield bytes;
}
