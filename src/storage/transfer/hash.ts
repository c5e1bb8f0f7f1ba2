import { hash } from 'node:crypto';
import { groupsOf } from '../../kernel/groups.ts';
import { leastBusy, Thread } from '../../kernel/thread.ts';
import type { Block } from './block-pool.ts';
import type { HashJob, Sum } from './hash-worker.mjs';
import type { SentPart } from './parts.ts';
import { CorruptError } from './storage-errors.ts';

/** A checksum that is computed while the bytes are transferred. */
export interface Digest {
  /** Resolves when the block may be reused. */
  update(block: Block, length: number): Promise<void>;
  /** What another SHA-256 can go on from; undefined for other algorithms. */
  state(): Promise<string | undefined>;
  /** In hex. Call it once. */
  end(): Promise<string>;
}

/** Threads that compute checksums, started on first use. Close it, or the process does not exit. */
export class Hasher {
  #threads: HashThread[] = [];
  #digests = 0;

  constructor(private readonly maxThreads: number) {}

  createDigest(sum: Sum = { algorithm: 'md5' }): Digest {
    const thread = this.#leastBusy();
    const digest = ++this.#digests;
    return {
      update: async ({ memory }, length) => void (await thread.run({ kind: 'block', digest, sum, memory, length })),
      state: () => thread.run({ kind: 'state', digest, sum }),
      end: async () => (await thread.run({ kind: 'end', digest, sum })) ?? '',
    };
  }

  /** The MD5 of a byte range of a file, or of less if the file is shorter. */
  async hashFile(path: string, offset: number, length: number): Promise<string> {
    return (await this.#leastBusy().run({ kind: 'file', path, offset, length })) ?? '';
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #leastBusy(): HashThread {
    if (this.#threads.length === 0) this.#threads = Array.from({ length: this.maxThreads }, () => new HashThread());
    return leastBusy(this.#threads) as HashThread;
  }
}

/** Up to this many bytes, MD5 takes less time on the main thread than a message to a hashing thread. */
export const maxInlineHashBytes = 64 * 1024;

export function md5(bytes: Uint8Array): string {
  return hash('md5', bytes);
}

class HashThread extends Thread<HashJob, string | undefined> {
  constructor() {
    super('storage/transfer/hash-worker.mjs', {
      workerData: 'hash',
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 32 },
    });
  }

  async close(): Promise<void> {
    this.break(new Error('the transfer has ended'));
    await this.worker.terminate();
  }
}

/**
 * What throws a CorruptError unless this is the MD5 of a file with this ETag, which is the MD5 of the content, or the MD5 of
 * that if the file was uploaded in one part. Undefined for other ETags: the size of the parts is unknown.
 */
export function etagCheck(etag = '') {
  const [, onePartMd5] = groupsOf(/^(?:W\/)?"?([0-9a-f]{32})-1"?$/i, etag);
  const expected = onePartMd5?.toLowerCase() ?? parseMd5Etag(etag);
  if (expected === undefined) return undefined;
  return (actualMd5: string): void => {
    const actual = onePartMd5 === undefined ? actualMd5 : md5(Buffer.from(actualMd5, 'hex'));
    if (actual === expected) return;
    throw new CorruptError('checksum mismatch (MD5): the received bytes differ from the stored file', {
      retryable: true,
    });
  };
}

/** Without quotes: the MD5 of their MD5s, or that of the only part. Empty if their ETags are not MD5s. */
export function possibleEtags(parts: readonly SentPart[]): string[] {
  const sums = parts.map(({ etag }) => parseMd5Etag(etag)).filter((sum) => sum !== undefined);
  if (sums.length !== parts.length || parts.length === 0) return [];
  const composed = `${md5(Buffer.from(sums.join(''), 'hex'))}-${parts.length}`;
  return parts.length === 1 ? [...sums, composed] : [composed];
}

/** Without quotes and the prefix of weak ETags, in lower case. */
export function normalizeEtag(etag: string): string {
  return etag.replace(/^W\//, '').replace(/^"|"$/g, '').toLowerCase();
}

/** The MD5 in an ETag, if it is one: S3 gives others for encrypted or composed objects. */
export function parseMd5Etag(etag: string): string | undefined {
  return /^(?:W\/)?"?([0-9a-f]{32})"?$/i.exec(etag)?.[1]?.toLowerCase();
}
