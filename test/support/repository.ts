import { execFileSync } from 'node:child_process';
import { folderOf } from './app.ts';

/** A git repository with these files in its first commit, on the branch `main`. */
export async function repositoryOf(files: Record<string, string>) {
  const folder = await folderOf(files);
  const git = (...args: string[]) => {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.test', '-c', 'commit.gpgsign=false'];
    return execFileSync('git', ['-C', folder.path, ...identity, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  };
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
  return Object.assign(folder, { git });
}
