import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newFolder } from './files.ts';

/** Where git has what was committed, by the folder of the test file and what is committed. */
const made = new Map<string, string>();

/**
 * A git repository with these files in its first commit, on the branch `main`, and the URL of its remote, after
 * more command lines of git that change no file. The first one of a test file is made by git, the others of the same are
 * copies of it.
 */
export function repositoryOf(files: Record<string, string>, remote?: string, more: readonly string[] = []) {
  const path = newFolder(files);
  const own = join(path, '.git');
  const git = (...args: string[]) => {
    return execFileSync('git', ['-C', path, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  };
  const key = JSON.stringify([tmpdir(), files, remote, more]);
  const copied = made.get(key);
  if (copied !== undefined) {
    cpSync(copied, own, { recursive: true });
    return { path, git };
  }
  // Without the examples of hooks, a third of its files.
  git('init', '--quiet', '--template=');
  if (remote !== undefined) git('remote', 'add', 'origin', remote);
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
  for (const line of more) git(...line.split(' '));
  const copy = newFolder();
  cpSync(own, copy, { recursive: true });
  made.set(key, copy);
  return { path, git };
}
