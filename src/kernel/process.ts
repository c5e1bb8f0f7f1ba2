import type { StdioOptions } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { ownCommand } from '../own-files.ts';
import { pause } from './clock.ts';
import type { Environment } from './environment.ts';
import { attempt, type TerminationSignal } from './errors.ts';
import type { Stream } from './output/page.ts';
import type { Pager } from './output/pager.ts';

/** SIGHUP: the terminal was closed. SIGBREAK: Ctrl-Break on Windows. */
const terminationSignals: readonly TerminationSignal[] =
  process.platform === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** What gantry uses of the process. Tests pass their own. */
export interface Io {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  /** Read in place of stdin, which stays free for questions. */
  input?: string;
  stdout: Stream;
  stderr: Stream;
  env: Environment;
  cwd: string;
  /** Listens for Ctrl-C and other termination signals. Returns a function that stops listening. */
  onSignal(listener: (signal: TerminationSignal) => void): () => void;
  /** Calls when nothing is left to wait for: what has not settled by then never will. Returns a function that stops listening. */
  onIdle(listener: () => void): () => void;
  /** Ends the process immediately, without flushing output. */
  quit(code: number): void;
  /** Wall-clock time in ms since the epoch, for timestamps, ages and expiry. It may jump. */
  now(): number;
  /** A monotonic clock in whole ms, for durations and timeouts. Only differences are meaningful. */
  elapsed(): number;
  /** Waits; rejects with the reason of the signal. */
  delay(ms: number, signal: AbortSignal): Promise<void>;
  /** Opens a URL in the user's browser. Returns false if there is none. */
  openBrowser(address: string): Promise<boolean>;
  startPager(command: readonly [string, ...string[]]): Promise<Pager | undefined>;
  /** Starts gantry in the background with these arguments. Returns whether it still runs. */
  spawnDetached(argv: string[], log?: string): Promise<() => boolean>;
  /** A connection without any byte for this many ms counts as dead. */
  silenceMs: number;
  /** A language model reads what is printed: every error is a document, and values of secrets stay hidden. */
  isForModel?: boolean;
  /** Flags that hold for each line: nobody types them, so no command that is shown has them. */
  implied?: readonly string[];
}

/** The real process. The streams are getters because Node opens them, slowly, on first use. */
export function processIo(): Io {
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return ignoreStreamErrors(writeCompletely(process.stdout));
    },
    get stderr() {
      return isCharacterDevice(2) ? ignoreStreamErrors(process.stderr) : lazyStderr();
    },
    env: process.env,
    cwd: process.cwd(),
    onSignal(listener) {
      for (const signal of terminationSignals) process.on(signal, listener);
      // Stays until the process exits: the terminal may close after the command ended.
      process.off('SIGHUP', closeTerminalOnExit).on('SIGHUP', closeTerminalOnExit);
      return () => {
        for (const signal of terminationSignals) process.off(signal, listener);
      };
    },
    onIdle(listener) {
      process.once('beforeExit', listener);
      return () => process.off('beforeExit', listener);
    },
    quit: (code) => process.exit(code),
    now: () => Date.now(),
    // The same clock as performance.now(), which would load node:perf_hooks.
    elapsed: () => Math.floor(process.uptime() * 1_000),
    delay: pause,
    openBrowser,
    startPager,
    // Loaded on demand because it is slow. getBuiltinModule is faster than import().
    async spawnDetached(argv, log) {
      const { spawn } = process.getBuiltinModule('node:child_process');
      const [program, ...before] = ownCommand();
      const output = log === undefined ? 'ignore' : openSync(log, 'w', 0o600);
      const stdio: StdioOptions = ['ignore', output, output];
      const child = spawn(program, [...before, ...argv], { detached: true, stdio, windowsHide: true });
      if (typeof output === 'number') closeSync(output);
      child.on('error', () => {}).unref();
      return () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
    },
    silenceMs: 60_000,
  };
}

/** isatty would load node:tty in each start. A program of Windows may have been started without streams. */
export function isCharacterDevice(fd: number): boolean {
  return attempt(() => fstatSync(fd).isCharacterDevice()) ?? false;
}

/**
 * `/proc/PID/stat` from its third field, the state; empty if there is no such file. The command name before it may contain
 * spaces and parentheses.
 */
export function statOf(pid: number | 'self'): string[] {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
}

/** Node restores the terminal when it exits, and aborts if the terminal is closed by then. */
function closeTerminalOnExit(): void {
  process.once('exit', () => {
    for (const stream of [0, 1, 2]) attempt(() => closeSync(stream));
  });
}

/** The opener exits soon, with an error if there is no browser. */
async function openBrowser(address: string): Promise<boolean> {
  const { default: open } = await import('open');
  const opener = await open(address).catch(() => undefined);
  if (!opener) return false;
  const ended = new Promise<boolean>((resolve) => opener.once('exit', (code) => resolve(code === 0)));
  return Promise.race([ended, pause(1_000).then(() => true)]);
}

/** Without `-R`, which gantry's own choice has, less shows colors as codes. */
async function startPager([command, ...args]: readonly [string, ...string[]]): Promise<Pager | undefined> {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const env = { LESS: 'FRX', ...process.env };
  const pager = spawn(command, args, { stdio: ['pipe', 'inherit', 'inherit'], env });
  // The user may quit before all is written.
  pager.stdin.on('error', () => {});
  const closed = new Promise<void>((resolve) => pager.once('close', () => resolve()));
  const isStarted = await new Promise<boolean>((resolve) => {
    pager.once('error', () => resolve(false));
    pager.once('spawn', () => resolve(true));
  });
  if (!isStarted) return undefined;
  return {
    write: (text) => new Promise((resolve) => pager.stdin.write(text, (error) => resolve(!error))),
    async end() {
      pager.stdin.end();
      await closed;
    },
  };
}

/** Node ignores short writes to a file: a full disk would lose output without an error. */
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

/** EPIPE is reported to the callback of the write. Without a listener, the event would end the process. */
function ignoreStreamErrors<S extends NodeJS.WriteStream>(stream: S): S {
  return stream.listenerCount('error') > 0 ? stream : stream.on('error', () => {});
}

/** A stderr that is not a terminal, opened on first use: opening takes over a millisecond, and most commands print nothing. */
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
