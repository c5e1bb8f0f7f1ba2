import type { FileHandle } from 'node:fs/promises';
import { BufferedFile } from './buffered-file.ts';
import { centralRecord, endOfArchive, localHeader, type ZipEntry } from './records.ts';

/** A zip file from its first entry to its last record. */
export class ZipWriter {
  readonly entries: ZipEntry[] = [];
  readonly #output: BufferedFile;

  constructor(file: FileHandle) {
    this.#output = new BufferedFile(file);
  }

  /** An entry of which all is known. */
  async writeEntry(item: ZipEntry, writeData: Uint8Array): Promise<void> {
    await this.beginEntry(item);
    await this.#output.append(writeData);
    this.entries.push(item);
  }

  /** An entry whose sizes and checksum come later: their place is kept. */
  async beginEntry(item: ZipEntry): Promise<void> {
    item.offset = this.#output.position;
    await this.#output.append(localHeader(item));
  }

  async data(item: ZipEntry, bytes: Uint8Array): Promise<void> {
    item.compressed += bytes.length;
    await this.#output.append(bytes);
  }

  /** Only now is the header true to what was written. */
  async finishEntry(item: ZipEntry): Promise<void> {
    await this.#output.patch(localHeader(item), item.offset);
    this.entries.push(item);
  }

  /** Returns the bytes of the whole archive. */
  async finish(): Promise<number> {
    const offset = this.#output.position;
    for (const item of this.entries) await this.#output.append(centralRecord(item));
    const size = this.#output.position - offset;
    await this.#output.append(endOfArchive({ count: this.entries.length, size, offset }));
    await this.#output.flush();
    return this.#output.position;
  }
}
