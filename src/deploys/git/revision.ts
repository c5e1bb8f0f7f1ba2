import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TemporaryFolder } from '../../kernel/disk/index.ts';
import { FailedError, UsageError } from '../../kernel/errors.ts';
import { count } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { git, tryGit } from './run-git.ts';

/** A folder of a repository as it was. */
interface Revision {
  commit: string;
  /** The working directory of that time, in a temporary folder. */
  folder: string;
}

/**
 * Checks a revision out into a temporary folder, which is removed afterwards in any case. The repository, its index and
 * its files stay as they are. `whole`: with the files outside of the working directory as well.
 */
export async function withRevision<T>(
  context: Context,
  { revision, whole }: { revision: string; whole: boolean },
  use: (at: Revision) => Promise<T>,
): Promise<T> {
  const { cwd, progress } = context;
  const commit = await findRevision(context, revision);
  const root = await git(context, ['rev-parse', '--show-toplevel']);
  const prefix = await git(context, ['rev-parse', '--show-prefix']);
  const temporary = await TemporaryFolder.create('git');
  try {
    const inRoot = { env: context.env, signal: context.signal, cwd: root };
    const variables = { GIT_INDEX_FILE: join(temporary.path, 'index') };
    const tree = join(temporary.path, 'tree');
    await git(inRoot, ['read-tree', commit], { variables });
    const listed = await git(inRoot, ['ls-files', '-s', '-z', ...(whole || !prefix ? [] : ['--', prefix])], {
      ...{ variables, encoding },
    });
    const { files, submodules } = parseEntries(listed);
    await git(inRoot, ['checkout-index', '-z', '--stdin', `--prefix=${tree}/`], { variables, encoding, input: files });
    if (submodules.length > 0) {
      progress.warn(`${count(submodules.length, 'submodule')} not included: ${submodules.join(', ')}`);
    }
    const folder = join(tree, prefix);
    if (!existsSync(folder)) throw new FailedError(`${cwd} does not exist in revision ${revision}`);
    return await use({ commit, folder });
  } finally {
    await temporary.remove();
  }
}

/** The commit of a revision. Throws UsageError if there is none. */
export async function findRevision(context: Context, revision: string): Promise<string> {
  if ((await tryGit(context, ['rev-parse', '--show-toplevel'])) === undefined) {
    // Throws if there is no git at all.
    await git(context, ['--version']);
    throw new UsageError(`${context.cwd} is not in a git repository`);
  }
  const name = `${revision}^{commit}`;
  const commit = await tryGit(context, ['rev-parse', '--verify', '--quiet', '--end-of-options', name]);
  if (commit) return commit;
  throw new UsageError(`unknown git revision ${revision}`, { why: 'a branch, a tag or a commit is expected' });
}

/** Trees and files by their names, with one process. What this clone does not have is absent. */
export async function readObjects(
  context: Pick<Context, 'env' | 'cwd' | 'signal'>,
  names: readonly string[],
): Promise<Map<string, { id: string; bytes: Buffer }>> {
  const found = new Map<string, { id: string; bytes: Buffer }>();
  if (names.length === 0) return found;
  const input = names.map((name) => `${name}\n`).join('');
  const read = Buffer.from((await tryGit(context, ['cat-file', '--batch'], { encoding, input })) ?? '', encoding);
  let at = 0;
  for (const name of names) {
    const end = read.indexOf('\n', at);
    const [, id, size] = /^([0-9a-f]{40,}) \w+ (\d+)$/.exec(read.toString('latin1', at, end)) ?? [];
    at = end + 1;
    if (id !== undefined) found.set(name, { id, bytes: read.subarray(at, at + Number(size)) });
    if (id !== undefined) at += Number(size) + 1;
  }
  return found;
}

/** Names are bytes. */
const encoding = 'latin1';

/** Of lines `<mode> <object> <stage>\t<path>`. */
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
