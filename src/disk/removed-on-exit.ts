import { rmSync } from 'node:fs';

const paths = new Set<string>();
let isListening = false;

/**
 * Files and folders that are of no use without this process: a second Ctrl-C ends it before the code that removes
 * them can run.
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
