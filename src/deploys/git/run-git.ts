import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { TemporaryFolder } from '../../kernel/disk/index.ts';
import { FailedError, UsageError } from '../../kernel/errors.ts';
import { folderOnPath } from '../../kernel/interpreters.ts';
import { count } from '../../kernel/output/format.ts';
import { words } from '../../kernel/words.ts';
import type { Context } from '../../platform/context.ts';
import { unless } from '../../platform/waiting/index.ts';

/** Much more than any list of files or branches here. In bytes. */
const maxOutput = 256 * 2 ** 20;

export type GitContext = Pick<Context, 'env' | 'cwd' | 'signal'>;

/**
 * The commands of git that are used. Those that start what settings name otherwise (diff, log, fetch, merge) are none: a
 * clone is not trusted. The first start filters and hooks.
 */
const starting = ['checkout-index', 'read-tree', 'status'] as const;
type Listing = 'cat-file' | 'for-each-ref' | 'ls-files';
type Reading = Listing | 'config' | 'rev-list' | 'rev-parse' | 'symbolic-ref';
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
  const harmless = mayStart ? await settingsWithoutPrograms(context) : [];
  return start(context, [...harmless, ...args], options);
}

/** Paths with special characters are printed as they are. A bare repository may be a folder of a clone. */
const settings = words(
  '-c core.quotePath=false -c core.fsmonitor=false -c core.hooksPath=/dev/null',
  '-c safe.bareRepository=explicit',
);

/** Git asks nothing, writes nothing by the way, and fetches nothing that a partial clone lacks. */
const noWork = { GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: '' };

/** Arguments by which filters and hooks of the repository's own settings are what they are without these. */
async function settingsWithoutPrograms(context: GitContext): Promise<string[]> {
  const listed = (await start(context, ['config', '--list', '--show-scope', '-z'])).split('\0');
  const outer = new Map<string, string>();
  const ownNames = new Set<string>();
  for (let at = 0; at + 1 < listed.length; at += 2) {
    const [, name = '', value = ''] = /^((?:filter|hook)\..*?)(?:\n(.*))?$/s.exec(listed[at + 1] ?? '') ?? [];
    if (name === '') continue;
    if (/^(local|worktree)$/.test(listed[at] ?? '')) ownNames.add(name);
    else outer.set(name, value);
  }
  return [...ownNames].flatMap((name) => {
    if (name.includes('=')) throw new FailedError(`git is not used here: the repository has the setting ${name}`);
    return ['-c', `${name}=${outer.get(name) ?? (/\.(required|enabled)$/.test(name) ? 'false' : '')}`];
  });
}

function start(
  { env, cwd, signal }: GitContext,
  args: readonly string[],
  { input, variables = {}, encoding = 'utf8' }: GitOptions = {},
): Promise<string> {
  // Without a PATH, the system has one of its own.
  const isMissing = process.platform !== 'win32' && env.PATH && folderOnPath('git', env) === undefined;
  if (isMissing) return Promise.reject(new FailedError('git is not installed'));
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

/** Empty if git fails, is not installed, or would find no working tree. */
export async function tryGit(context: GitContext, args: Arguments, options?: GitOptions): Promise<string> {
  if (isOutside(context)) return '';
  return (await unlessFailed(git(context, args, options))) ?? '';
}

/** Whether git would find no working tree: most deploys outside of one need not start it to know. */
function isOutside({ env, cwd }: GitContext): boolean {
  if (env.GIT_DIR !== undefined) return false;
  for (let folder = realpathSync(cwd); !existsSync(join(folder, '.git')); folder = dirname(folder)) {
    if (folder === dirname(folder)) return true;
  }
  return false;
}

/** Undefined if git fails, or is not installed. Throws what is no FailedError, such as an interrupt. */
export async function unlessFailed<T>(work: Promise<T>): Promise<T | undefined> {
  return unless((error) => error instanceof FailedError, work);
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

/** Checks a revision out into a temporary folder. `whole`: with the files outside of the working directory as well. */
export async function withRevision<T>(
  context: Context,
  { revision, whole }: { revision: string; whole: boolean },
  use: (at: { commit: string; folder: string }) => Promise<T>,
): Promise<T> {
  const { cwd, progress } = context;
  const commit = await findRevision(context, revision);
  const root = await git(context, ['rev-parse', '--show-toplevel']);
  const prefix = await git(context, ['rev-parse', '--show-prefix']);
  const temporary = TemporaryFolder.create('git');
  try {
    const inRoot = { env: context.env, signal: context.signal, cwd: root };
    const variables = { GIT_INDEX_FILE: join(temporary.path, 'index') };
    const tree = join(temporary.path, 'tree');
    await git(inRoot, ['read-tree', commit], { variables });
    const listed = await git(inRoot, ['ls-files', '-s', '-z', ...(whole || !prefix ? [] : ['--', prefix])], {
      variables,
      encoding,
    });
    const { files, submodules } = parseEntries(listed);
    await git(inRoot, ['checkout-index', '-z', '--stdin', `--prefix=${tree}/`], {
      variables,
      encoding,
      input: files,
    });
    if (submodules.length > 0) {
      progress.warn(`${count(submodules.length, 'submodule')} not included: ${submodules.join(', ')}`);
    }
    const folder = resolve(tree, prefix);
    if (!existsSync(folder)) throw new FailedError(`${cwd} does not exist in revision ${revision}`);
    return await use({ commit, folder });
  } finally {
    await temporary.remove();
  }
}

/** Whether commits may be missing. */
export async function isShallowClone(context: GitContext): Promise<boolean> {
  return (await tryGit(context, ['rev-parse', '--is-shallow-repository'])) !== 'false';
}

/** What brings the commits that a shallow clone lacks. */
export const unshallow = 'git fetch --unshallow; in a pipeline, fetch-depth: 0 or GIT_DEPTH: 0';

/** The commit of a revision; empty if this clone has none. */
export const tryRevision = (context: GitContext, revision: string): Promise<string> =>
  tryGit(context, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]);

/** The commit of a revision. Throws UsageError if there is none. */
export async function findRevision(context: Context, revision: string): Promise<string> {
  const commit = await tryRevision(context, revision);
  if (commit) return commit;
  if ((await tryGit(context, ['rev-parse', '--show-toplevel'])) === '') {
    // Throws if there is no git at all.
    await git(context, ['--version']);
    throw new UsageError(`${context.cwd} is not in a git repository`);
  }
  const isShallow = await isShallowClone(context);
  throw new UsageError(`unknown git revision ${revision}`, {
    why: `a branch, a tag or a commit of this clone is expected${isShallow ? ', which has not all commits' : ''}`,
    fix: isShallow ? unshallow : 'git fetch --tags',
  });
}

/** Trees and files by their names, with one process. What this clone does not have is absent. */
export async function readObjects(context: Pick<Context, 'env' | 'cwd' | 'signal'>, names: readonly string[]) {
  const objects = new Map<string, { id: string; bytes: Buffer }>();
  if (names.length === 0) return objects;
  const input = names.map((name) => `${name}\n`).join('');
  const read = Buffer.from(await tryGit(context, ['cat-file', '--batch'], { encoding, input }), encoding);
  let at = 0;
  for (const name of names) {
    const end = read.indexOf('\n', at);
    const [, id, size] = /^([0-9a-f]{40,}) \w+ (\d+)$/.exec(read.toString('latin1', at, end)) ?? [];
    at = end + 1;
    if (id !== undefined) objects.set(name, { id, bytes: read.subarray(at, at + Number(size)) });
    if (id !== undefined) at += Number(size) + 1;
  }
  return objects;
}

/** Names are bytes. */
const encoding = 'latin1';

/** Parses lines `<mode> <object> <stage>\t<path>`. */
function parseEntries(listed: string): { files: string; submodules: string[] } {
  const entries = listed
    .split('\0')
    .filter(Boolean)
    .map((line) => ({ mode: line.slice(0, 6), path: line.slice(line.indexOf('\t') + 1) }));
  const isSubmodule = ({ mode }: { mode: string }) => mode === '160000';
  return {
    files: entries
      .filter((entry) => !isSubmodule(entry))
      .map(({ path }) => `${path}\0`)
      .join(''),
    submodules: entries.filter(isSubmodule).map(({ path }) => String(Buffer.from(path, encoding))),
  };
}
