import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { enter, leave } from './living.ts';

/** How a process ended: one of the two is set. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process of an app, in a group of its own: what it starts ends with it. */
export class AppProcess {
  readonly child: ChildProcess;
  /** Fulfilled when it has ended and all it printed was read; rejects when it could not be started. */
  readonly ended: Promise<Ended>;
  #over = false;

  constructor(command: string, words: string[], options: Pick<SpawnOptions, 'cwd' | 'env' | 'stdio'>) {
    this.child = start(command, words, options);
    enter(this);
    this.ended = new Promise<Ended>((done, failed) => {
      // What it leaves behind would hold its output open for ever.
      this.child.once('exit', () => this.kill('SIGKILL'));
      this.child.once('close', (code, signal) => done({ code, signal }));
      this.child.once('error', failed);
    }).finally(() => {
      this.#over = true;
      leave(this);
    });
    this.ended.catch(() => {});
  }

  /** Reads one of its outputs line by line, without the line ends. */
  onLine(stream: Readable | null, listener: (line: string) => void): void {
    if (stream) createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', listener);
  }

  /** Asks it to end, as the platform does, and makes it after so many milliseconds. */
  async stop(graceMs: number): Promise<void> {
    this.kill('SIGTERM');
    const timer = setTimeout(() => this.kill('SIGKILL'), graceMs);
    await this.ended.catch(() => {});
    clearTimeout(timer);
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

/** Some causes, such as an environment that is too large, are thrown by `spawn`, others are events. */
function start(command: string, words: string[], options: Pick<SpawnOptions, 'cwd' | 'env' | 'stdio'>): ChildProcess {
  try {
    return spawn(command, words, { ...options, detached: true });
  } catch (cause) {
    throw new StartFailure(`${command} could not be started: ${(cause as Error).message}`, { cause });
  }
}

/** A process that could not be started, as its command line or environment is not possible. */
export class StartFailure extends Error {}
