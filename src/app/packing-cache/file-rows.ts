import type { FileStats } from '../files/entry.ts';

/** What a row has besides the identity of its file. */
export interface RowFacts {
  crc32: number;
  /** In hex. */
  sha256: string;
  /** A number of the caller's. */
  list: number;
  /** Of a tiny file: where it is in a block that it shares with others. */
  part?: BlockPart | undefined;
}

export interface BlockPart {
  at: number;
  length: number;
  deflated: boolean;
}

/** The identities of files (`file-identity.ts`) and what is known of them, in rows of 88 bytes. */
export class FileRows {
  #bytes = Buffer.alloc(0);
  #doubles = new Float64Array(0);
  #integers = new Uint32Array(0);
  count = 0;

  /** `bytes`: what {@link bytes} has returned. */
  constructor(bytes: Uint8Array) {
    this.count = Math.floor(bytes.length / rowBytes);
    this.#resize(this.count);
    this.#bytes.set(bytes.subarray(0, this.#bytes.length));
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.count * rowBytes);
  }

  isOf(row: number, { ino, size, mtimeMs, ctimeMs }: FileStats): boolean {
    const at = doublesAt(row);
    return (
      this.#doubles[at] === ino &&
      this.#doubles[at + 1] === size &&
      this.#doubles[at + 2] === mtimeMs &&
      this.#doubles[at + 3] === ctimeMs
    );
  }

  facts(row: number): RowFacts {
    const form = this.#integer(row, columns.form);
    const part = { at: this.#integer(row, columns.at), length: this.#integer(row, columns.length) };
    return {
      crc32: this.#integer(row, columns.crc32),
      sha256: this.#bytes.toString('hex', sha256At(row), sha256At(row) + sha256Bytes),
      list: this.list(row),
      part: form === forms.whole ? undefined : { ...part, deflated: form === forms.deflatedPart },
    };
  }

  list(row: number): number {
    return this.#integer(row, columns.list);
  }

  /** In bytes. */
  size(row: number): number {
    return this.#doubles[doublesAt(row) + 1] ?? 0;
  }

  /** Returns its number. */
  add({ ino, size, mtimeMs, ctimeMs }: FileStats, { crc32, sha256, list, part }: RowFacts): number {
    const row = this.#append();
    const doubles = doublesAt(row);
    this.#doubles[doubles] = ino;
    this.#doubles[doubles + 1] = size;
    this.#doubles[doubles + 2] = mtimeMs;
    this.#doubles[doubles + 3] = ctimeMs;
    const integers = integersAt(row);
    this.#integers[integers + columns.crc32] = crc32;
    this.#integers[integers + columns.list] = list;
    this.#integers[integers + columns.form] = !part
      ? forms.whole
      : part.deflated
        ? forms.deflatedPart
        : forms.storedPart;
    this.#integers[integers + columns.at] = part?.at ?? 0;
    this.#integers[integers + columns.length] = part?.length ?? 0;
    this.#bytes.write(sha256, sha256At(row), sha256Bytes, 'hex');
    return row;
  }

  /** Adds a row of another table with another list. Returns its number. */
  copy(from: FileRows, of: number, list: number): number {
    const row = this.#append();
    from.#bytes.copy(this.#bytes, row * rowBytes, of * rowBytes, (of + 1) * rowBytes);
    this.#integers[integersAt(row) + columns.list] = list;
    return row;
  }

  #append(): number {
    const row = this.count++;
    if (this.count * rowBytes > this.#bytes.length) this.#resize(2 * this.count);
    return row;
  }

  #integer(row: number, column: number): number {
    return this.#integers[integersAt(row) + column] ?? 0;
  }

  #resize(rows: number): void {
    const memory = new ArrayBuffer(rows * rowBytes);
    const bytes = Buffer.from(memory);
    bytes.set(this.#bytes.subarray(0, bytes.length));
    this.#bytes = bytes;
    this.#doubles = new Float64Array(memory);
    this.#integers = new Uint32Array(memory);
  }
}

/** Four doubles, five integers and four unused bytes, the SHA-256. */
const rowBytes = 88;
const sha256Bytes = 32;
const columns = { crc32: 0, list: 1, form: 2, at: 3, length: 4 };
const forms = { whole: 0, deflatedPart: 1, storedPart: 2 };
const doublesAt = (row: number) => (row * rowBytes) / 8;
const integersAt = (row: number) => (row * rowBytes + 32) / 4;
const sha256At = (row: number) => row * rowBytes + 56;
