import type { FileHandle } from 'node:fs/promises';
import { openRegular, writeAtomically } from '../../kernel/disk/index.ts';
import { IndexSet } from './index-set.ts';
import { readResults } from './read-results.ts';

const lineBreak = Buffer.from('\n');
/** Written at a time. */
const batchBytes = 1024 * 1024;

/** Puts the lines of another file in place of those of the same inputs. */
export async function replaceLines(path: string, by: string, count: number): Promise<void> {
  const other = await openRegular(by);
  try {
    const replaced = new IndexSet(count);
    for await (const results of readResults(other))
      for (const { known } of results) if (known) replaced.add(known.index);
    if (replaced.size === 0) return;
    await rewrite(path, async function* (file) {
      for await (const results of readResults(file)) {
        for (const { bytes, known, isWhole } of results) if (known ? !replaced.has(known.index) : isWhole) yield bytes;
      }
      for await (const results of readResults(other)) for (const { bytes, known } of results) if (known) yield bytes;
    });
  } finally {
    await other.close();
  }
}

/** Sorts the lines of a file that has a line for each input. Holds where each line is, not the lines. */
export async function sortByIndex(path: string, count: number): Promise<void> {
  const starts = new Float64Array(count);
  const lengths = new Float64Array(count);
  let isSorted = true;
  let last = -1;
  const found = await openRegular(path);
  try {
    for await (const results of readResults(found)) {
      for (const { bytes, start, known } of results) {
        const index = known?.index ?? 0;
        starts[index] = start;
        lengths[index] = bytes.length;
        isSorted &&= index > last;
        last = index;
      }
    }
  } finally {
    await found.close();
  }
  if (isSorted) return;
  await rewrite(path, async function* (file) {
    const window = new FileWindow(file);
    for (let index = 0; index < count; index++) yield await window.read(starts[index] ?? 0, lengths[index] ?? 0);
  });
}

/** Replaces a file by other lines of it, all at once. */
async function rewrite(path: string, linesOf: (file: FileHandle) => AsyncIterable<Buffer>): Promise<void> {
  const from = await openRegular(path);
  const copy = async (into: FileHandle) => {
    let batch: Buffer[] = [];
    let bytes = 0;
    const write = async () => {
      await into.appendFile(Buffer.concat(batch));
      batch = [];
      bytes = 0;
    };
    for await (const line of linesOf(from)) {
      batch.push(line, lineBreak);
      bytes += line.length + 1;
      if (bytes >= batchBytes) await write();
    }
    await write();
  };
  try {
    await writeAtomically(path, copy, { flush: true });
  } finally {
    await from.close();
  }
}

const windowBytes = 4 * 1024 * 1024;

/** Reads lines that are near each other in one piece: calls end almost in the order in which they began. */
class FileWindow {
  #start = 0;
  #filled = 0;
  #buffer = Buffer.allocUnsafe(windowBytes);

  constructor(private readonly file: FileHandle) {}

  async read(start: number, length: number): Promise<Buffer> {
    if (start < this.#start || start + length > this.#start + this.#filled) await this.#move(start, length);
    // A copy: the window moves before the line is written.
    return Buffer.from(this.#buffer.subarray(start - this.#start, start - this.#start + length));
  }

  async #move(start: number, length: number): Promise<void> {
    this.#start = Math.max(0, start - windowBytes / 4);
    const wanted = Math.max(windowBytes, start + length - this.#start);
    if (wanted > this.#buffer.length) this.#buffer = Buffer.allocUnsafe(wanted);
    this.#filled = 0;
    while (this.#filled < wanted) {
      const rest = wanted - this.#filled;
      const { bytesRead } = await this.file.read(this.#buffer, this.#filled, rest, this.#start + this.#filled);
      if (bytesRead === 0) break;
      this.#filled += bytesRead;
    }
  }
}
