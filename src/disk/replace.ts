import { renameSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

/** Codes with which Windows refuses to rename a file that a virus scanner or a reader has open for a moment. */
const busy = new Set(['EPERM', 'EACCES', 'EBUSY']);
/** Pauses between the tries, in milliseconds: about three seconds in all. */
const pausesMs = [10, 20, 40, 80, 160, 320, 640, 640, 640, 640];

interface Replacing {
  rename?: (from: string, to: string) => Promise<void>;
  pause?: (ms: number) => Promise<unknown>;
  /** Elsewhere these codes are final: a folder without the right to write stays so. */
  windows?: boolean;
}

/** Gives a file its final name, in one step, in place of an older file of that name. */
export async function replaceFile(
  from: string,
  to: string,
  { rename: move = rename, pause = setTimeout, windows = process.platform === 'win32' }: Replacing = {},
): Promise<void> {
  for (const pauseMs of windows ? pausesMs : []) {
    try {
      return await move(from, to);
    } catch (error) {
      if (!busy.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      await pause(pauseMs);
    }
  }
  await move(from, to);
}

/** The same without giving way to other work. On Windows it waits for its turn with the processor idle. */
export function replaceFileSync(from: string, to: string): void {
  for (const pauseMs of process.platform === 'win32' ? pausesMs : []) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (!busy.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
  renameSync(from, to);
}
