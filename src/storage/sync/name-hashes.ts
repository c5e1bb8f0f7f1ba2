import { nameKey } from '../../kernel/disk/index.ts';
import { pathKey } from './difference.ts';

interface OpenFolder {
  /** Empty, or with a trailing slash. */
  path: string;
  hashes: number[];
}

/**
 * Tells whether two names in one folder may be equal on some disk, such as `a` and `A`. Takes paths in the order of a walk,
 * and keeps a number for each name of the current folder and of those above it.
 */
export class NameHashes {
  readonly #open: OpenFolder[] = [];
  #mayClash = false;

  add(path: string): void {
    let folder = this.#closeOthers(path) ?? this.#openFolder('');
    for (;;) {
      const end = path.indexOf('/', folder.path.length);
      folder.hashes.push(hash(nameKey(path.slice(folder.path.length, end < 0 ? undefined : end))));
      if (end < 0) return;
      folder = this.#openFolder(path.slice(0, end + 1));
    }
  }

  /** Whether there may be equal names among all that were added. */
  end(): boolean {
    for (const { hashes } of this.#open) this.#mayClash ||= hasEqual(hashes);
    return this.#mayClash;
  }

  #openFolder(path: string): OpenFolder {
    const folder = { path, hashes: [] };
    this.#open.push(folder);
    return folder;
  }

  /** Ends the folders that do not contain a path. Returns the innermost one that does. */
  #closeOthers(path: string): OpenFolder | undefined {
    for (let folder = this.#open.at(-1); folder; folder = this.#open.at(-1)) {
      if (path.startsWith(folder.path)) return folder;
      this.#mayClash ||= hasEqual(folder.hashes);
      this.#open.pop();
    }
    return undefined;
  }
}

/** Whether a path of one list may lead to the same file as one of the other. */
export function mayMeet(paths: Iterable<string>, others: Iterable<string>): boolean {
  const [hashes, otherHashes] = [paths, others].map((list) => Float64Array.from(list, pathHash).sort());
  let at = 0;
  for (const each of otherHashes ?? []) {
    while (hashes && at < hashes.length && Number(hashes[at]) < each) at++;
    if (hashes?.[at] === each) return true;
  }
  return false;
}

function hasEqual(hashes: readonly number[]): boolean {
  const sorted = Float64Array.from(hashes).sort();
  return sorted.some((each, index) => index > 0 && each === sorted[index - 1]);
}

function pathHash(path: string): number {
  return hash(pathKey(path));
}

/** 53 bits, so that different texts hardly ever share a hash among millions: two of 32 bits, mixed. */
function hash(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2_654_435_761);
    low = Math.imul(low ^ unit, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 2 ** 32 * (high & 0x1fffff) + (low >>> 0);
}
