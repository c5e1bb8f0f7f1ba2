import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

interface ManagedProcess {
  child: ChildProcess;
  kill: (signal: 'SIGKILL') => void;
}

/** App processes of all emulators in this process. They must not outlive it. */
const processes = new Set<ManagedProcess>();

export function registerProcess(managed: ManagedProcess): void {
  // Before other exit handlers, which delete the folders that apps write to.
  if (processes.size === 0) process.prependOnceListener('exit', killAll);
  processes.add(managed);
  updateWatchdog();
}

export function unregisterProcess(managed: ManagedProcess): void {
  processes.delete(managed);
  if (processes.size === 0) process.off('exit', killAll);
  updateWatchdog();
}

function killAll(): void {
  for (const managed of processes) managed.kill('SIGKILL');
}

/**
 * A SIGKILLed process cannot clean up, so a watchdog shell does: it reads the current process groups from stdin, and
 * kills them when stdin closes.
 */
const script = 'while read -r line; do groups=$line; done; for group in $groups; do kill -9 "-$group"; done';

let watchdog: ChildProcess | undefined;

function updateWatchdog(): void {
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
