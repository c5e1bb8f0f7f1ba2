import { type ChildProcess, spawn } from 'node:child_process';
import { attempt, UnavailableError } from '../../kernel/errors.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import { duration } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { timeoutSignal } from '../../platform/waiting/index.ts';

const maxShown = 200;

/**
 * Runs a command of the user in a shell, with a document on its stdin. What it prints is not the result of gantry. Its
 * failure is a warning: the work that it tells about is done.
 */
export async function runNotifyCommand(
  { cwd, env, progress }: Pick<Context, 'cwd' | 'env' | 'progress'>,
  command: string,
  document: object,
  timeoutMs: number,
): Promise<void> {
  const expired = timeoutSignal(timeoutMs, () => new UnavailableError(`it did not end within ${duration(timeoutMs)}`));
  const problem = await new Promise<string | undefined>((resolve) => {
    // A group of its own, so that what the shell has started ends with it.
    const detached = process.platform !== 'win32';
    const child = spawn(command, { shell: true, cwd, env, detached, stdio: ['pipe', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said = `${said}${chunk}`.slice(-maxShown);
    });
    child.stdin.on('error', () => {});
    child.stdin.end(`${stringifyJson(document)}\n`);
    expired.addEventListener('abort', () => {
      killGroup(child);
      resolve((expired.reason as Error).message);
    });
    child.on('error', ({ message }) => resolve(message));
    child.on('exit', (code, signal) => {
      child.stderr.destroy();
      const last = said.trim().split('\n').at(-1);
      resolve(code === 0 ? undefined : last || (signal ? `ended by ${signal}` : `exit code ${code}`));
    });
  });
  if (problem !== undefined) progress.warn(`--notify-command failed: ${problem}`);
}

function killGroup({ pid, stderr }: ChildProcess): void {
  stderr?.destroy();
  // It may have just ended.
  if (pid !== undefined) attempt(() => process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL'));
}
