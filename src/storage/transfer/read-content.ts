import { createHash } from 'node:crypto';
import { etagCheck } from './hash.ts';
import type { Piece } from './range-request.ts';
import type { RemoteContent } from './remote-content.ts';
import { ChangedError } from './storage-errors.ts';
import { repeated, type TransferContext } from './transfer-context.ts';

/**
 * What `open` gives from an offset on. Opened again for the rest when that fails; only attempts without a byte in between
 * count.
 */
export async function* resumed(
  start: number,
  open: (from: number) => Promise<AsyncGenerator<Piece>>,
  resources: TransferContext,
): AsyncGenerator<Buffer> {
  let pieces: AsyncGenerator<Piece> | undefined;
  let at = start;
  const next = async () => {
    pieces ??= await open(at);
    return pieces.next().catch((error: unknown) => {
      pieces = undefined;
      throw error;
    });
  };
  try {
    for (;;) {
      const { done, value } = await repeated(next, resources);
      if (done) return;
      at += value.bytes.length;
      yield value.bytes;
    }
  } finally {
    await pieces?.return(undefined);
  }
}

/** Reads a remote file from start to end. */
export function readContent(content: RemoteContent, resources: TransferContext): AsyncGenerator<Buffer> {
  const open = async (from: number) => {
    const rest = from > 0 ? { start: from, end: content.bytes } : undefined;
    return (await content.get(rest, resources.signal)).pieces;
  };
  return resumed(0, open, resources);
}

/** Compares the checksum too, if the storage sends one: throws a CorruptError after all chunks. */
export async function* readVerified(content: RemoteContent, resources: TransferContext): AsyncGenerator<Buffer> {
  const hash = createHash('md5');
  for await (const chunk of readContent(content, resources)) {
    // Known since the first response.
    if (etagCheck(content.version)) hash.update(chunk);
    yield chunk;
  }
  etagCheck(content.version)?.(hash.digest('hex'));
}

/** The checksum that a file must have, in hex: a SHA-256, or the id that git gives its content. */
export interface FileSum {
  algorithm: 'sha256' | 'git-blob';
  hex: string;
}

/** The SHA-256 and the checksum of this kind of a remote file, which is read in its order. */
export async function readSums(
  content: RemoteContent,
  algorithm: FileSum['algorithm'],
  resources: TransferContext,
): Promise<{ sha256: string; hex: string }> {
  const sha256 = createHash('sha256');
  const blob = algorithm === 'git-blob' ? createHash('sha1').update(`blob ${content.bytes}\0`) : undefined;
  for await (const chunk of readContent(content, resources)) {
    sha256.update(chunk);
    blob?.update(chunk);
  }
  const hex = sha256.digest('hex');
  return { sha256: hex, hex: blob?.digest('hex') ?? hex };
}

/** Throws a ChangedError if the source has another checksum than it must have. */
export function checkSum({ algorithm, hex }: FileSum, actual: string): void {
  if (actual === hex) return;
  const name = algorithm === 'sha256' ? 'SHA-256' : 'git id';
  throw new ChangedError(`its ${name} is ${actual}, but must be ${hex}`, {
    why: 'the source has other content than was asked for, or a proxy changed it',
  });
}
