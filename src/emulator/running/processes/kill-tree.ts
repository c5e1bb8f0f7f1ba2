import { spawnSync } from 'node:child_process';

/**
 * Signals a process that was started in a group of its own, and its children. Windows has neither groups nor signals:
 * the whole tree ends at once.
 */
export function killTree(pid: number, signal: NodeJS.Signals): void {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended already.
  }
}
