import { setFlagsFromString } from 'node:v8';

/**
 * Runs short work without V8's optimizing compiler, which takes more processor time than it saves until the work runs for
 * some 100 ms. `work` must not load modules: their compiled code (src/cli/code-cache.ts) is for the usual flags.
 */
export function unoptimized<T>(work: () => T): T {
  setFlagsFromString('--no-opt');
  try {
    return work();
  } finally {
    setFlagsFromString('--opt');
  }
}
