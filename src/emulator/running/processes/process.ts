import { type ChildProcess, execFile, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { after } from '../../../kernel/clock.ts';
import { attempt } from '../../../kernel/errors.ts';
import { folderOnPath } from '../../../kernel/interpreters.ts';

/** One of the two is set. */
export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** For a sentence: `exit code 3`, or `SIGKILL`. */
export function describeExit({ code, signal }: ProcessExit): string {
  return signal ?? `exit code ${code}`;
}

/** A process of an app in its own process group, so that its children end with it. */
export class AppProcess {
  readonly child: ChildProcess;
  /** Resolves when it has ended and its output was read. Rejects if it could not be started. */
  readonly ended: Promise<ProcessExit>;
  #hasEnded = false;
  #stopClosing = () => {};

  constructor(command: string, args: string[], options: Pick<SpawnOptions, 'cwd' | 'env' | 'stdio'>) {
    this.child = spawnProcess(command, args, options);
    processes.add(this);
    followProcesses();
    this.ended = new Promise<ProcessExit>((done, failed) => {
      // Children that still run would keep its output open.
      this.child.once('exit', () => {
        this.kill('SIGKILL');
        this.#stopClosing = after(openOutputMs, () => {
          // A child in another process group is not killed, and may keep them open.
          for (const stream of this.child.stdio) stream?.destroy();
        });
      });
      this.child.once('close', (code, signal) => done({ code, signal }));
      this.child.once('error', failed);
    }).finally(() => {
      this.#hasEnded = true;
      this.#stopClosing();
      processes.delete(this);
      followProcesses();
    });
    this.ended.catch(() => {});
  }

  /** Calls the listener for each line of one of its outputs. Longer lines are split. */
  onLine(stream: Readable | null, listener: (line: string) => void, maxLength = maxLineLength): void {
    if (stream) forEachLine(stream, maxLength, listener);
  }

  /** Sends SIGTERM, then SIGKILL after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.kill('SIGTERM');
    const stopTimer = after(graceMs, () => this.kill('SIGKILL'));
    await this.ended.catch(() => {});
    stopTimer();
  }

  /** Signals the whole process group. */
  kill(signal: NodeJS.Signals): void {
    const { pid } = this.child;
    if (pid !== undefined && !this.#hasEnded) killTree(pid, signal);
  }
}

/** As in `cortex_output.py`. */
const maxLineLength = 256 * 1024;

/** How long other processes may keep the output of an exited process open. */
const openOutputMs = 2_000;

/** `spawn` throws some errors, such as E2BIG, and emits others. */
function spawnProcess(
  command: string,
  args: string[],
  options: Pick<SpawnOptions, 'cwd' | 'env' | 'stdio'>,
): ChildProcess {
  try {
    // On Windows it would get a console window of its own.
    return spawn(command, args, { ...options, detached: process.platform !== 'win32', windowsHide: true });
  } catch (cause) {
    throw new ProcessStartError(`cannot start ${command}: ${(cause as Error).message}`, { cause });
  }
}

/** The command line or environment of a process is invalid or too large. */
export class ProcessStartError extends Error {}

/** App processes of all emulators in this process. They must not outlive it. */
const processes = new Set<AppProcess>();

function killAll(): void {
  for (const each of processes) each.kill('SIGKILL');
}

/**
 * A SIGKILLed process cannot clean up, so a watchdog shell does: it reads the current process groups from stdin, and
 * kills them when stdin closes.
 */
const script = 'while read -r line; do groups=$line; done; for group in $groups; do kill -9 "-$group"; done';

let watchdog: ChildProcess | undefined;

function followProcesses(): void {
  process.off('exit', killAll);
  // Before other exit handlers, which delete the folders that apps write to.
  if (processes.size > 0) process.prependOnceListener('exit', killAll);
  if (process.platform === 'win32') return;
  watchdog ??= startWatchdog();
  const groups = [...processes].flatMap(({ child }) => child.pid ?? []);
  watchdog.stdin?.write(`${groups.join(' ')}\n`);
}

/** Detached, so that a signal to our process group does not end it. */
function startWatchdog(): ChildProcess {
  const options = { cwd: '/', env: {}, detached: true } as const;
  const started = spawn('/bin/sh', ['-c', script], { ...options, stdio: ['pipe', 'ignore', 'ignore'] });
  started.on('error', () => {}).unref();
  started.stdin.on('error', () => {});
  (started.stdin as Socket).unref();
  return started;
}

/**
 * Signals a process that was started in a group of its own, and its children. Windows has neither groups nor signals:
 * the whole tree ends at once.
 */
export function killTree(pid: number, signal: NodeJS.Signals): void {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true });
    return;
  }
  // It may have ended already.
  attempt(() => process.kill(-pid, signal));
}

/** What a short program prints; undefined if it fails. It may be a slow script of a version manager. */
export function outputOf([program = '', ...args]: readonly string[], env = process.env): Promise<string | undefined> {
  const options = { env, timeout: 30_000, windowsHide: true };
  return new Promise((done) => {
    if (process.platform !== 'win32' && !existsSync(program) && !folderOnPath(program, env)) return done(undefined);
    execFile(program, args, options, (error, stdout) => done(error ? undefined : stdout.trim()));
  });
}

/**
 * How often a state of a progress bar becomes a line: `tqdm` prints ten in a second, and a carriage return before each. The
 * last one ends as a line does.
 */
const stateMs = 5_000;

/**
 * Calls `listener` for each line of a stream, without line ends. Lines longer than `maxLength` characters are split, so
 * that output without line ends cannot exhaust memory.
 */
export function forEachLine(stream: Readable, maxLength: number, listener: (line: string) => void): void {
  let rest = '';
  let isContinued = false;
  let heldReturn = '';
  let nextStateAt = 0;
  const isDue = () => {
    if (performance.now() < nextStateAt) return false;
    nextStateAt = performance.now() + stateMs;
    return true;
  };
  const finishLine = () => {
    if (rest !== '' || !isContinued) listener(rest);
    rest = '';
    isContinued = false;
  };
  const append = (text: string) => {
    const [first = '', ...others] = text.split(/(\r*\n|\r+)/);
    rest += first;
    for (const [index, part] of others.entries()) {
      if (index % 2 === 1) rest = part;
      else if (part.endsWith('\n') || (rest !== '' && isDue())) finishLine();
    }
    if (rest.length < maxLength) return;
    listener(rest);
    rest = '';
    isContinued = true;
  };
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const text = heldReturn + chunk;
    // The second half of a line end may be in the next chunk.
    heldReturn = text.endsWith('\r') ? '\r' : '';
    append(heldReturn ? text.slice(0, -1) : text);
  });
  stream.on('end', () => {
    if (heldReturn) append(heldReturn);
    if (rest !== '') finishLine();
  });
  stream.on('error', () => {});
}
