import type { FileHandle } from 'node:fs/promises';
import { Output } from './output.ts';
import { centralRecord, endOfArchive, type Item, localHeader } from './records.ts';

/** A zip file from its first entry to its last record. */
export class Writer {
  readonly items: Item[] = [];
  readonly #output: Output;

  constructor(file: FileHandle) {
    this.#output = new Output(file);
  }

  /** An entry of which all is known. */
  async whole(item: Item, data: Uint8Array): Promise<void> {
    await this.begin(item);
    await this.#output.append(data);
    this.items.push(item);
  }

  /** An entry whose sizes and checksum come later: their place is kept. */
  async begin(item: Item): Promise<void> {
    item.offset = this.#output.position;
    await this.#output.append(localHeader(item));
  }

  async data(item: Item, bytes: Uint8Array): Promise<void> {
    item.compressed += bytes.length;
    await this.#output.append(bytes);
  }

  /** Only now is the header true to what was written. */
  async end(item: Item): Promise<void> {
    await this.#output.patch(localHeader(item), item.offset);
    this.items.push(item);
  }

  /** Returns the bytes of the whole archive. */
  async finish(): Promise<number> {
    const offset = this.#output.position;
    for (const item of this.items) await this.#output.append(centralRecord(item));
    const size = this.#output.position - offset;
    await this.#output.append(endOfArchive({ count: this.items.length, size, offset }));
    await this.#output.flush();
    return this.#output.position;
  }
}
