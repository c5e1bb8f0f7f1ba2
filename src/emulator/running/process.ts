import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { forEachLine } from './lines.ts';
import { registerProcess, unregisterProcess } from './orphan-watchdog.ts';

/** How a process ended: one of the two is set. */
export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process of an app, in a group of its own: what it starts ends with it. */
export class AppProcess {
  readonly child: ChildProcess;
  /** Fulfilled when it has ended and all it printed was read; rejects when it could not be started. */
  readonly ended: Promise<ProcessExit>;
  #over = false;
  #closing: NodeJS.Timeout | undefined;

  constructor(command: string, words: string[], options: Pick<SpawnOptions, 'cwd' | 'env' | 'stdio'>) {
    this.child = spawnProcess(command, words, options);
    registerProcess(this);
    this.ended = new Promise<ProcessExit>((done, failed) => {
      // What it leaves behind would hold its output open.
      this.child.once('exit', () => {
        this.kill('SIGKILL');
        this.#closing = setTimeout(() => this.#closeStreams(), leftBehindMs);
      });
      this.child.once('close', (code, signal) => done({ code, signal }));
      this.child.once('error', failed);
    }).finally(() => {
      this.#over = true;
      clearTimeout(this.#closing);
      unregisterProcess(this);
    });
    this.ended.catch(() => {});
  }

  /** Reads one of its outputs line by line, without the line ends. A longer line comes in pieces. */
  onLine(stream: Readable | null, listener: (line: string) => void, longest = longestLine): void {
    if (stream) forEachLine(stream, longest, listener);
  }

  /** Asks it to end, as the platform does, and makes it after so many milliseconds. */
  async stop(graceMs: number): Promise<void> {
    this.kill('SIGTERM');
    const timer = setTimeout(() => this.kill('SIGKILL'), graceMs);
    await this.ended.catch(() => {});
    clearTimeout(timer);
  }

  /** A process that left the group of its parent is not killed with it. */
  #closeStreams(): void {
    for (const stream of this.child.stdio) stream?.destroy();
  }

  /** Sends a signal to the process and all it started. */
  kill(signal: NodeJS.Signals): void {
    const { pid } = this.child;
    if (pid === undefined || this.#over) return;
    try {
      process.kill(process.platform === 'win32' ? pid : -pid, signal);
    } catch {
      // It has ended by itself.
    }
  }
}

/** Characters of a line that an app prints, as in `cortex_output.py`. */
const longestLine = 256 * 1024;

/** Milliseconds until the output of a process that has exited is closed, though another process still holds it. */
const leftBehindMs = 2_000;

/** Some causes, such as an environment that is too large, are thrown by `spawn`, others are events. */
function spawnProcess(
  command: string,
  words: string[],
  options: Pick<SpawnOptions, 'cwd' | 'env' | 'stdio'>,
): ChildProcess {
  try {
    return spawn(command, words, { ...options, detached: true });
  } catch (cause) {
    throw new ProcessStartError(`${command} could not be started: ${(cause as Error).message}`, { cause });
  }
}

/** A process that could not be started, as its command line or environment is not possible. */
export class ProcessStartError extends Error {}
