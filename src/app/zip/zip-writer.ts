import type { FileHandle } from 'node:fs/promises';
import { BufferedFile } from '../buffered-file.ts';
import { centralRecord, endOfArchive, localHeader, localHeaderBytes, type ZipEntry } from './records.ts';

/** Writes a zip file entry by entry. */
export class ZipWriter {
  readonly entries: ZipEntry[] = [];
  readonly #output: BufferedFile;

  constructor(file: FileHandle) {
    this.#output = new BufferedFile(file);
  }

  /** Writes an entry whose sizes and checksum are known. */
  async writeEntry(entry: ZipEntry, data: Uint8Array): Promise<void> {
    if (this.writeAtOnce(entry, data)) return;
    await this.beginEntry(entry);
    await this.#output.append(data);
    this.entries.push(entry);
  }

  /** The same without a promise, for one of many small files. Returns false if it has to wait for the disk. */
  writeAtOnce(entry: ZipEntry, data: Uint8Array): boolean {
    if (!this.#output.hasRoomFor(localHeaderBytes(entry) + data.length)) return false;
    entry.offset = this.#output.position;
    localHeader(entry, (bytes) => this.#output.appendAny(bytes));
    this.#output.appendAtOnce(data);
    this.entries.push(entry);
    return true;
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
    for (const entry of this.entries) {
      const record = centralRecord(entry);
      if (this.#output.hasRoomFor(record.length)) this.#output.appendAtOnce(record);
      else await this.#output.append(record);
    }
    const size = this.#output.position - offset;
    await this.#output.append(endOfArchive({ count: this.entries.length, size, offset }));
    await this.#output.flush();
    return this.#output.position;
  }
}
