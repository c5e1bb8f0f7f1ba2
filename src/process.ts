import { setTimeout } from 'node:timers/promises';
import type { Io } from './context.ts';

/** The real process as an {@link Io}. */
export function processIo(): Io {
  // A reader that closes its end is told of by the write that fails; as an event it would end the process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    onSignal(listener) {
      process.on('SIGINT', listener);
      process.on('SIGTERM', listener);
      return () => {
        process.off('SIGINT', listener);
        process.off('SIGTERM', listener);
      };
    },
    quit: (code) => process.exit(code),
    now: () => Date.now(),
    delay: (ms, signal) => setTimeout(ms, undefined, { signal }),
    silenceMs: 60_000,
  };
}
