import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isAlive, newOwnerName, parseOwnerName } from '../../../src/kernel/disk/owner.ts';

test.runIf(process.platform === 'linux')(
  'a killed process counts as ended before its parent has waited for it',
  async () => {
    const parent = spawn('sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const [line] = await once(parent.stdout, 'data');
      const pid = Number(String(line));
      const owner = { ...here(), pid, startedAt: Number(fields(pid)[19]) };
      expect([isAlive(owner), isAlive({ ...owner, startedAt: 0 })]).toEqual([true, true]);
      // The shell would ask for its child; what takes its place does not.
      await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => fields(pid)[0]).toBe('Z');
      expect([isAlive(owner), isAlive({ ...owner, startedAt: 0 })]).toEqual([false, false]);
    } finally {
      parent.kill('SIGKILL');
    }
  },
);

function here() {
  const owner = parseOwnerName(newOwnerName());
  if (!owner) throw new Error('a name of our own is not read');
  return owner;
}

/** From the state on. */
function fields(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ');
}
