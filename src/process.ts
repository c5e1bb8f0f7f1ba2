import { writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Environment } from './config/environment.ts';
import type { TerminationSignal } from './errors.ts';
import type { Stream } from './output/page.ts';

/** A closed terminal or a dropped connection sends SIGHUP; Ctrl-Break of Windows, SIGBREAK. */
const terminationSignals: readonly TerminationSignal[] =
  process.platform === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The process, as an argument: tests give their own. */
export interface Io {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Stream;
  stderr: Stream;
  env: Environment;
  cwd: string;
  /** Calls back on Ctrl-C and on every signal that asks us to end; returns how to stop listening. */
  onSignal(listener: (signal: TerminationSignal) => void): () => void;
  /** Ends the process at once, undrained: the second Ctrl-C. */
  quit(code: number): void;
  /** Wall-clock time in milliseconds since the epoch: for timestamps, ages and expiry. It may jump. */
  now(): number;
  /** A clock that never jumps, in whole milliseconds. Only differences mean something: for durations and time limits. */
  elapsed(): number;
  /** Rejects with the reason of the signal. */
  delay(ms: number, signal: AbortSignal): Promise<void>;
  /** Shows an address in the user's browser; false when there is none. */
  openBrowser(address: string): Promise<boolean>;
  /** Starts gantry once more, with these words, and does not wait for it. */
  spawnDetached(words: string[]): Promise<void>;
  /** A connection on which no byte moves for so many milliseconds is dead. */
  silenceMs: number;
}

/** The real process as an {@link Io}. Node opens a stream when it is first asked for, and takes its time. */
export function processIo(): Io {
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return ignoreStreamErrors(writeCompletely(process.stdout));
    },
    get stderr() {
      return process.getBuiltinModule('node:tty').isatty(2) ? ignoreStreamErrors(process.stderr) : lazyStderr();
    },
    env: process.env,
    cwd: process.cwd(),
    onSignal(listener) {
      for (const signal of terminationSignals) process.on(signal, listener);
      // It stays after the command has ended: the terminal may close until the process does.
      process.off('SIGHUP', closeTerminalOnExit).on('SIGHUP', closeTerminalOnExit);
      return () => {
        for (const signal of terminationSignals) process.off(signal, listener);
      };
    },
    quit: (code) => process.exit(code),
    now: () => Date.now(),
    // The same clock as performance.now(), which would load node:perf_hooks.
    elapsed: () => Math.floor(process.uptime() * 1_000),
    delay,
    openBrowser,
    // What starts programs takes its time to load, and nearly no command needs it; import() would load more yet.
    async spawnDetached(words) {
      const { spawn } = process.getBuiltinModule('node:child_process');
      const script = process.argv[1];
      if (script) spawn(process.execPath, [script, ...words], { detached: true, stdio: 'ignore' }).unref();
    },
    silenceMs: 60_000,
  };
}

/** A stderr that is no terminal, opened on first use: opening it takes over a millisecond, and most commands print nothing. */
function lazyStderr(): typeof process.stderr {
  return new Proxy({ isTTY: false } as typeof process.stderr, {
    get(known, key) {
      if (Object.hasOwn(known, key)) return Reflect.get(known, key);
      const stream = ignoreStreamErrors(process.stderr);
      const value = Reflect.get(stream, key);
      return typeof value === 'function' ? value.bind(stream) : value;
    },
    has: (_, key) => Reflect.has(process.stderr, key),
    set: (_, key, value) => Reflect.set(process.stderr, key, value),
  });
}

/** At its end Node restores the terminal, and aborts when that fails because the terminal was closed. */
function closeTerminalOnExit(): void {
  process.once('exit', () => {
    const { closeSync } = process.getBuiltinModule('node:fs');
    for (const stream of [0, 1, 2]) {
      try {
        closeSync(stream);
      } catch {
        // It was closed before.
      }
    }
  });
}

/** Node rejects with an AbortError of its own: callers tell a time limit from Ctrl-C by the reason of the signal. */
async function delay(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** The browser is started by a little program that ends soon, badly where there is no browser. */
async function openBrowser(address: string): Promise<boolean> {
  const { default: open } = await import('open');
  const opener = await open(address).catch(() => undefined);
  if (!opener) return false;
  const ended = new Promise<boolean>((resolve) => opener.once('exit', (code) => resolve(code === 0)));
  return Promise.race([ended, setTimeout(1_000, true)]);
}

/**
 * Node writes to a file once and ignores how much of it was taken: on a full disk the rest would be lost without an
 * error. Pipes and terminals have a handle of their own, which does not.
 */
function writeCompletely(stream: typeof process.stdout): typeof process.stdout {
  if (stream.isTTY || '_handle' in stream) return stream;
  stream._write = (chunk: Buffer, _, done) => {
    try {
      for (let written = 0; written < chunk.length; ) written += writeSync(stream.fd, chunk, written);
      done();
    } catch (error) {
      done(error as Error);
    }
  };
  return stream;
}

/** A reader that closes its end is told of by the write that fails; as an event it would end the process. */
function ignoreStreamErrors<S extends NodeJS.WriteStream>(stream: S): S {
  return stream.listenerCount('error') > 0 ? stream : stream.on('error', () => {});
}
