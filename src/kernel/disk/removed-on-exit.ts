import { rmSync } from 'node:fs';

const paths = new Set<string>();
let isListening = false;

/**
 * Files and folders to remove when the process exits, also on a second Ctrl-C, which skips the usual cleanup.
 */
export const removedOnExit = {
  add(path: string): void {
    paths.add(path);
    if (isListening) return;
    isListening = true;
    process.once('exit', () => {
      for (const each of paths) rmSync(each, { recursive: true, force: true });
    });
  },

  delete(path: string): void {
    paths.delete(path);
  },
};
