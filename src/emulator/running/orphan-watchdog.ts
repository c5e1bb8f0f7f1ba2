import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

interface Living {
  child: ChildProcess;
  kill: (signal: 'SIGKILL') => void;
}

/** The processes of apps, of every emulator of this process: none is to live longer than it does. */
const living = new Set<Living>();

export function enter(one: Living): void {
  // First of all that happens on exit: what they write to must not change while it is removed.
  if (living.size === 0) process.prependOnceListener('exit', killAll);
  living.add(one);
  tellWatcher();
}

export function leave(one: Living): void {
  living.delete(one);
  if (living.size === 0) process.off('exit', killAll);
  tellWatcher();
}

function killAll(): void {
  for (const one of living) one.kill('SIGKILL');
}

/**
 * Who is killed (`kill -9`) can kill nobody any more. So a shell waits beside us: each line it gets has the groups that
 * are alive, and when there are no more lines we are gone, and they go too.
 */
const script = 'while read -r line; do groups=$line; done; for group in $groups; do kill -9 "-$group"; done';

let watcher: ChildProcess | undefined;

function tellWatcher(): void {
  if (process.platform === 'win32') return;
  watcher ??= startWatcher();
  const groups = [...living].flatMap(({ child }) => child.pid ?? []);
  watcher.stdin?.write(`${groups.join(' ')}\n`);
}

/** In a session of its own, so that nothing ends it together with us. Nobody waits for it. */
function startWatcher(): ChildProcess {
  const options = { cwd: '/', env: {}, detached: true } as const;
  const started = spawn('/bin/sh', ['-c', script], { ...options, stdio: ['pipe', 'ignore', 'ignore'] });
  started.on('error', () => {}).unref();
  started.stdin.on('error', () => {});
  (started.stdin as Socket).unref();
  return started;
}
