import { mib } from './parts.ts';

/** 1 MiB of memory that a hashing thread sees too. */
export interface Block {
  memory: SharedArrayBuffer;
  bytes: Buffer;
}

/** 64 KiB cost a third of the speed, 4 MiB a tenth (measured over loopback). */
export const blockBytes = mib;

/** Blocks are used again and again: there are never more of them than two for each request under way. */
export class Blocks {
  readonly #free: Block[] = [];

  take(): Block {
    const free = this.#free.pop();
    if (free) return free;
    const memory = new SharedArrayBuffer(blockBytes);
    return { memory, bytes: Buffer.from(memory) };
  }

  give(...blocks: Block[]): void {
    this.#free.push(...blocks);
  }
}
