import { execFile } from 'node:child_process';
import type { Context } from '../../context.ts';
import { FailedError } from '../../errors.ts';

/** Much more than any list of files or branches here. In bytes. */
const maxOutput = 256 * 2 ** 20;

type GitContext = Pick<Context, 'env' | 'cwd' | 'signal'>;

/** What git prints, without the last line break. Throws FailedError with git's own last line if it fails. */
export async function git(
  { env, cwd, signal }: GitContext,
  args: readonly string[],
  { input, variables = {} }: { input?: string; variables?: Record<string, string> } = {},
): Promise<string> {
  // Paths with special characters are printed as they are, and git asks nothing.
  const options = { cwd, signal, maxBuffer: maxOutput, env: { ...env, ...variables, GIT_TERMINAL_PROMPT: '0' } };
  return new Promise((resolve, reject) => {
    const child = execFile('git', ['-c', 'core.quotePath=false', ...args], options, (error, stdout, stderr) => {
      if (!error) resolve(stdout.replace(/\n$/, ''));
      else reject(signal.aborted ? signal.reason : gitError(error, stderr));
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
  });
}

/** Undefined if git fails, or is not installed. */
export async function tryGit(
  context: GitContext,
  args: readonly string[],
  options?: Parameters<typeof git>[2],
): Promise<string | undefined> {
  try {
    return await git(context, args, options);
  } catch (error) {
    if (error instanceof FailedError) return undefined;
    throw error;
  }
}

function gitError(cause: Error & { code?: unknown }, stderr: string): FailedError {
  if (cause.code === 'ENOENT') return new FailedError('git is not installed', { cause });
  const said =
    stderr
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^fatal: /, '') ?? '';
  return new FailedError(`git failed: ${said || cause.message}`, { cause });
}
