import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderOf } from './app.ts';

/** Where git has what was committed, by the folder of the test file and what is committed. */
const made = new Map<string, string>();

/**
 * A git repository with these files in its first commit, on the branch `main`, and the URL of its remote. The first one of
 * a test file is made by git, the others with the same files are copies of it.
 */
export async function repositoryOf(files: Record<string, string>, remote?: string) {
  const folder = await folderOf(files);
  const own = join(folder.path, '.git');
  const git = (...args: string[]) => {
    return execFileSync('git', ['-C', folder.path, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  };
  const key = JSON.stringify([tmpdir(), files, remote]);
  const copied = made.get(key);
  if (copied !== undefined) {
    cpSync(copied, own, { recursive: true });
    return Object.assign(folder, { git });
  }
  // Without the examples of hooks, a third of its files.
  git('init', '--quiet', '--template=');
  if (remote !== undefined) git('remote', 'add', 'origin', remote);
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
  const copy = await mkdtemp(join(tmpdir(), 'repository-'));
  cpSync(own, copy, { recursive: true });
  made.set(key, copy);
  return Object.assign(folder, { git });
}
