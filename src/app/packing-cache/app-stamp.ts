import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { writeFileAtomic } from '../../kernel/disk/index.ts';
import type { FileEntry } from '../files/entry.ts';
import { openFolder, packingFolder, stampPath } from './cache-folder.ts';
import { isSettled, trustedDevice } from './file-identity.ts';
import type { PackingCacheOptions } from './packing-cache.ts';

/**
 * The digest of all files of an app, remembered as long as none of them changes: by the rules of the index, and in a file
 * of one line. For an app that has not changed, the index itself is not read.
 */
export class AppStamp {
  private constructor(
    private readonly path: string,
    private readonly stamp: string,
    private readonly options: PackingCacheOptions,
  ) {}

  /** Undefined if these files cannot be told from changed ones, or if the folder of the cache cannot be used. */
  static open(entries: readonly FileEntry[], options: PackingCacheOptions): AppStamp | undefined {
    const stamp = stampOf(entries, options);
    if (stamp === undefined) return undefined;
    const folder = packingFolder(options.cache);
    try {
      openFolder(folder);
      return new AppStamp(stampPath(folder, options.root), stamp, options);
    } catch {
      return undefined;
    }
  }

  /** Undefined if a file has changed since `write`. */
  async read(): Promise<string | undefined> {
    const [stamp, digest] = (await readFile(this.path, 'utf8').catch(() => '')).trimEnd().split(' ');
    return stamp === this.stamp ? digest : undefined;
  }

  /** `digest` has no spaces. Best effort. */
  async write(digest: string): Promise<void> {
    try {
      await writeFileAtomic(this.path, `${this.stamp} ${digest}\n`, { mode: 0o600 });
    } catch (error) {
      this.options.trace?.(`cannot write ${this.path}: ${(error as Error).message}`);
    }
  }
}

const factsPerFile = 6;

const noStats = { ino: 0, size: 0, mtimeMs: 0, ctimeMs: 0 };

/** A digest of what tells that files have not changed. Undefined if one of them may change without a trace. */
function stampOf(entries: readonly FileEntry[], { root, now }: PackingCacheOptions): string | undefined {
  const device = trustedDevice(root);
  if (device === undefined) return undefined;
  const texts: string[] = [];
  const facts = new Float64Array(entries.length * factsPerFile);
  for (const [index, { path, source, stats, executable }] of entries.entries()) {
    texts.push(path);
    if ('text' in source) texts.push(source.text);
    else if (stats?.dev !== device || !isSettled(stats.ctimeMs, now)) return undefined;
    const { ino, size, mtimeMs, ctimeMs } = stats ?? noStats;
    facts.set([Number('text' in source), Number(executable), ino, size, mtimeMs, ctimeMs], index * factsPerFile);
  }
  return createHash('sha256').update(`stamp 1 ${device}\n`).update(JSON.stringify(texts)).update(facts).digest('hex');
}
