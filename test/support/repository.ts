import { execFileSync } from 'node:child_process';
import { folderOf } from './app.ts';

/** A git repository with these files in its first commit, on the branch `main`. */
export async function repositoryOf(files: Record<string, string>) {
  const folder = await folderOf(files);
  const git = (...args: string[]) => {
    return execFileSync('git', ['-C', folder.path, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  };
  // Without the examples of hooks, a third of its files.
  git('init', '--quiet', '--template=');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
  return Object.assign(folder, { git });
}
