import { mib } from './parts.ts';

/** Memory that a hashing thread sees too. */
export interface Block {
  memory: SharedArrayBuffer;
  bytes: Buffer;
}

/** In bytes: 64 KiB cost a third of the speed, 4 MiB a tenth (measured over loopback). */
const largeBlock = mib / 2;
/** Of small files there are so many at a time that what they take together counts. */
const smallBlock = mib / 8;

/** Blocks are used again and again: there are never more of them than two for each request under way. */
export class BlockPool {
  readonly #free = new Map<number, Block[]>();

  /** Of a length that {@link blockBytesFor} gives. */
  acquire(bytes: number): Block {
    const free = this.#free.get(bytes)?.pop();
    if (free) return free;
    const memory = new SharedArrayBuffer(bytes);
    return { memory, bytes: Buffer.from(memory) };
  }

  release(...blocks: Block[]): void {
    for (const block of blocks) {
      const free = this.#free.get(block.bytes.length);
      if (free) free.push(block);
      else this.#free.set(block.bytes.length, [block]);
    }
  }
}

/** The length of the blocks through which so many bytes go. */
export function blockBytesFor(bytes: number): number {
  return bytes > mib ? largeBlock : smallBlock;
}
