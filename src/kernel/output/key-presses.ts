import { spawnSync } from 'node:child_process';
import { statOf } from '../process.ts';

export type KeyInput = NodeJS.ReadableStream & { setRawMode(isRaw: boolean): unknown };

/** Keys are not echoed; Ctrl-C, Ctrl-Z and Ctrl-\ still signal. Undefined in the background of a shell. */
export function listenForKeys(stdin: KeyInput, listener: (key: string) => void) {
  // A background process that changes the mode of its terminal or reads from it is stopped by the system.
  if (!isInForeground()) return undefined;
  const listen = () => {
    if (!isInForeground()) return;
    stdin.setRawMode(true);
    stdin.resume();
  };
  const pause = () => {
    stdin.setRawMode(false);
    stdin.pause();
  };
  const onData = (chunk: Buffer | string) => {
    for (const key of keysIn(String(chunk))) if (!sendSignal(key)) listener(key);
  };
  const onSuspend = () => {
    pause();
    process.kill(process.pid, 'SIGSTOP');
  };
  const signals = Object.entries(process.platform === 'win32' ? {} : { SIGTSTP: onSuspend, SIGCONT: listen });
  for (const [signal, handler] of signals) process.on(signal, handler);
  stdin.on('data', onData).on('error', ignore);
  listen();
  let isAway = false;
  let isStopped = false;
  return {
    stop() {
      isStopped = true;
      for (const [signal, handler] of signals) process.off(signal, handler);
      stdin.off('data', onData);
      if (!isAway && isInForeground()) pause();
    },
    /** Gives the terminal to somebody else until the work has ended. */
    async whileAway(work: () => Promise<void>) {
      isAway = true;
      stdin.off('data', onData);
      await work().finally(() => {
        isAway = false;
      });
      if (isStopped) return;
      stdin.on('data', onData);
      listen();
    },
  };
}

/** Ends the program as Ctrl-C does. */
export function interrupt(): void {
  sendSignal('\u0003');
}

function ignore(): void {}

/** More keys at once are pasted text, or the escape sequence of one key: none of them is meant for us. */
const maxKeys = 3;

function keysIn(text: string): string[] {
  const signals = [...text].filter((key) => key in terminalSignals);
  return text.length > maxKeys || text.startsWith('\u001b') ? signals : [...text];
}

const terminalSignals: Record<string, NodeJS.Signals> = {
  '\u0003': 'SIGINT',
  '\u001a': 'SIGTSTP',
  '\u001c': 'SIGQUIT',
};

/** Sends what the terminal would send in its usual mode, to the whole foreground group. Returns false for other keys. */
function sendSignal(key: string): boolean {
  const signal = terminalSignals[key];
  if (!signal) return false;
  // Windows has no process groups, and a signal would end the process without its handlers.
  if (process.platform !== 'win32') process.kill(0, signal);
  else if (signal === 'SIGINT') process.emit(signal, signal);
  return true;
}

/** True where the system does not tell, and without a terminal that controls processes. */
function isInForeground(): boolean {
  const [group, foreground = '0'] = process.platform === 'linux' ? groupsOfProc() : groupsOfPs();
  return Number(foreground) <= 0 || group === foreground;
}

/** The process group, and that of the terminal's foreground: fields 5 and 8 of `/proc/self/stat`. */
function groupsOfProc(): (string | undefined)[] {
  const fields = statOf('self');
  return [fields[2], fields[5]];
}

function groupsOfPs(): (string | undefined)[] {
  if (process.platform === 'win32') return [];
  const { stdout } = spawnSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)], { encoding: 'utf8' });
  return (stdout ?? '').trim().split(/\s+/);
}
