import { renameSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { pause as wait } from '../clock.ts';
import { systemCode } from '../errors.ts';

/** Windows fails with these codes while a virus scanner or a reader has the file open. */
const busy = new Set(['EPERM', 'EACCES', 'EBUSY']);
const pausesMs = [10, 20, 40, 80, 160, 320, 640, 640, 640, 640];

interface ReplaceOptions {
  rename?: (from: string, to: string) => Promise<void>;
  pause?: (ms: number) => Promise<unknown>;
  /** On other systems these codes are permanent. */
  windows?: boolean;
}

/** Renames a file onto its target atomically. */
export async function replaceFile(
  from: string,
  to: string,
  { rename: move = rename, pause = wait, windows = process.platform === 'win32' }: ReplaceOptions = {},
): Promise<void> {
  for (const pauseMs of windows ? pausesMs : []) {
    try {
      return await move(from, to);
    } catch (error) {
      if (!busy.has(systemCode(error))) throw error;
      await pause(pauseMs);
    }
  }
  await move(from, to);
}

/** Synchronous {@link replaceFile}. On Windows it may block. */
export function replaceFileSync(from: string, to: string): void {
  for (const pauseMs of process.platform === 'win32' ? pausesMs : []) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (!busy.has(systemCode(error))) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
  renameSync(from, to);
}
