import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

interface ManagedProcess {
  child: ChildProcess;
  kill: (signal: 'SIGKILL') => void;
}

/** The processes of apps, of every emulator of this process: none is to live longer than it does. */
const processes = new Set<ManagedProcess>();

export function registerProcess(one: ManagedProcess): void {
  // First of all that happens on exit: what they write to must not change while it is removed.
  if (processes.size === 0) process.prependOnceListener('exit', killAll);
  processes.add(one);
  updateWatchdog();
}

export function unregisterProcess(one: ManagedProcess): void {
  processes.delete(one);
  if (processes.size === 0) process.off('exit', killAll);
  updateWatchdog();
}

function killAll(): void {
  for (const one of processes) one.kill('SIGKILL');
}

/**
 * Who is killed (`kill -9`) can kill nobody any more. So a shell waits beside us: each line it gets has the groups that
 * are alive, and when there are no more lines we are gone, and they go too.
 */
const script = 'while read -r line; do groups=$line; done; for group in $groups; do kill -9 "-$group"; done';

let watchdog: ChildProcess | undefined;

function updateWatchdog(): void {
  if (process.platform === 'win32') return;
  watchdog ??= startWatchdog();
  const groups = [...processes].flatMap(({ child }) => child.pid ?? []);
  watchdog.stdin?.write(`${groups.join(' ')}\n`);
}

/** In a session of its own, so that nothing ends it together with us. Nobody waits for it. */
function startWatchdog(): ChildProcess {
  const options = { cwd: '/', env: {}, detached: true } as const;
  const started = spawn('/bin/sh', ['-c', script], { ...options, stdio: ['pipe', 'ignore', 'ignore'] });
  started.on('error', () => {}).unref();
  started.stdin.on('error', () => {});
  (started.stdin as Socket).unref();
  return started;
}
