import type { FileHandle } from 'node:fs/promises';
import { BufferedFile } from '../buffered-file.ts';
import { centralRecord, endOfArchive, localHeader, type ZipEntry } from './records.ts';

/** Writes a zip file entry by entry. */
export class ZipWriter {
  readonly entries: ZipEntry[] = [];
  readonly #output: BufferedFile;

  constructor(file: FileHandle) {
    this.#output = new BufferedFile(file);
  }

  /** Writes an entry whose sizes and checksum are known. */
  async writeEntry(entry: ZipEntry, writeData: Uint8Array): Promise<void> {
    await this.beginEntry(entry);
    await this.#output.append(writeData);
    this.entries.push(entry);
  }

  /** Starts an entry whose sizes and checksum are not known yet. */
  async beginEntry(entry: ZipEntry): Promise<void> {
    entry.offset = this.#output.position;
    await this.#output.append(localHeader(entry));
  }

  async data(entry: ZipEntry, bytes: Uint8Array): Promise<void> {
    entry.compressed += bytes.length;
    await this.#output.append(bytes);
  }

  /** Rewrites the header with the final sizes and checksum. */
  async finishEntry(entry: ZipEntry): Promise<void> {
    await this.#output.patch(localHeader(entry), entry.offset);
    this.entries.push(entry);
  }

  /** Writes the central directory. Returns the size of the archive. */
  async finish(): Promise<number> {
    const offset = this.#output.position;
    for (const entry of this.entries) await this.#output.append(centralRecord(entry));
    const size = this.#output.position - offset;
    await this.#output.append(endOfArchive({ count: this.entries.length, size, offset }));
    await this.#output.flush();
    return this.#output.position;
  }
}
