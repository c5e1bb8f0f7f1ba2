import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { NewFile } from '../../kernel/disk/index.ts';
import { BufferedFile } from '../buffered-file.ts';
import { encodeIndex, type PackedSegment, type SegmentIndex, segmentEnding } from './segment.ts';

/** Writes a segment under a temporary name, which it loses when it is complete. Throws system errors. */
export class SegmentWriter {
  readonly #index: SegmentIndex = new Map();

  private constructor(
    private readonly folder: string,
    private readonly file: NewFile,
    private readonly output: BufferedFile,
  ) {}

  static async create(folder: string): Promise<SegmentWriter> {
    const file = await NewFile.create(join(folder, 'new'), { mode: 0o600 });
    return new SegmentWriter(folder, file, new BufferedFile(file.handle));
  }

  get bytes(): number {
    return this.output.position;
  }

  async add(key: string, data: Uint8Array): Promise<void> {
    if (this.#index.has(key)) return;
    const record = { offset: this.output.position, length: data.length, crc32: crc32(data) };
    await this.output.append(data);
    this.#index.set(key, record);
  }

  /** Adds what is intact in a segment. */
  async addAll(segment: PackedSegment): Promise<void> {
    for (const [key, record] of segment.index) {
      const data = segment.read(record);
      if (data) await this.add(key, data);
    }
  }

  /** Not flushed to the disk: a segment that a power failure has torn is recognized. */
  async commit(): Promise<void> {
    await this.output.append(encodeIndex(this.#index));
    await this.output.flush();
    await this.file.commit(join(this.folder, `${randomBytes(8).toString('hex')}${segmentEnding}`));
  }

  async discard(): Promise<void> {
    await this.file.discard();
  }
}
