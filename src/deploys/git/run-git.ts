import { execFile } from 'node:child_process';
import { FailedError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';

/** Much more than any list of files or branches here. In bytes. */
const maxOutput = 256 * 2 ** 20;

type GitContext = Pick<Context, 'env' | 'cwd' | 'signal'>;

/**
 * The commands of git that are used. Those that start what settings name otherwise (diff, log, fetch, merge) are none: a
 * clone is not trusted. The first start filters and hooks.
 */
const starting = ['checkout-index', 'hash-object', 'read-tree', 'status'] as const;
type Listing = 'cat-file' | 'for-each-ref' | 'ls-files';
type Reading = Listing | 'config' | 'merge-base' | 'rev-list' | 'rev-parse' | 'symbolic-ref';
type Arguments = readonly [command: (typeof starting)[number] | Reading | '--version', ...string[]];

interface GitOptions {
  input?: string;
  variables?: Record<string, string>;
  /** `latin1` keeps the bytes of names as they are. */
  encoding?: 'utf8' | 'latin1';
}

/**
 * What git prints, without the last line break. Throws FailedError with git's own last line if it fails. No program is
 * started that the settings of the repository name, and nothing is fetched; those of the user and the machine are theirs.
 */
export async function git(context: GitContext, args: Arguments, options: GitOptions = {}): Promise<string> {
  const mayStart = starting.some((command) => command === args[0]);
  return start(context, [...(mayStart ? await withoutPrograms(context) : []), ...args], options);
}

/** Paths with special characters are printed as they are. A bare repository may be a folder of a clone. */
const settings = [
  ...['-c', 'core.quotePath=false', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'],
  ...['-c', 'safe.bareRepository=explicit'],
];

/** Git asks nothing, writes nothing by the way, and fetches nothing that a partial clone lacks. */
const noWork = { GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: '' };

/** Arguments by which filters and hooks of the repository's own settings are what they are without these. */
async function withoutPrograms(context: GitContext): Promise<string[]> {
  const listed = (await start(context, ['config', '--list', '--show-scope', '-z'])).split('\0');
  const outer = new Map<string, string>();
  const own = new Set<string>();
  for (let at = 0; at + 1 < listed.length; at += 2) {
    const [, name = '', value = ''] = /^((?:filter|hook)\..*?)(?:\n(.*))?$/s.exec(listed[at + 1] ?? '') ?? [];
    if (name === '') continue;
    if (/^(local|worktree)$/.test(listed[at] ?? '')) own.add(name);
    else outer.set(name, value);
  }
  return [...own].flatMap((name) => {
    if (name.includes('=')) throw new FailedError(`git is not used here: the repository has the setting ${name}`);
    return ['-c', `${name}=${outer.get(name) ?? (/\.(required|enabled)$/.test(name) ? 'false' : '')}`];
  });
}

function start(
  { env, cwd, signal }: GitContext,
  args: readonly string[],
  { input, variables = {}, encoding = 'utf8' }: GitOptions = {},
): Promise<string> {
  const options = { cwd, signal, encoding, maxBuffer: maxOutput, env: { ...env, ...variables, ...noWork } };
  return new Promise((resolve, reject) => {
    const child = execFile('git', ['--no-pager', ...settings, ...args], options, (error, stdout, stderr) => {
      if (!error) resolve(stdout.replace(/\n$/, ''));
      else reject(signal.aborted ? signal.reason : gitError(error, stderr));
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '', encoding);
  });
}

/** Undefined if git fails, or is not installed. */
export async function tryGit(context: GitContext, args: Arguments, options?: GitOptions): Promise<string | undefined> {
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
