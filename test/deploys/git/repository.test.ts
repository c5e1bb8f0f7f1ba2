import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { currentBranch, findMerged, readRefs, readRepository } from '../../../src/deploys/git/index.ts';
import { machine } from '../../support/machine.ts';
import { repositoryOf } from '../../support/repository.ts';

type Git = Awaited<ReturnType<typeof repositoryOf>>['git'];

const remoteBranch = (git: Git, name: string) => git('update-ref', `refs/remotes/origin/${name}`, 'HEAD');
const remoteHead = (git: Git, name: string) => {
  git('symbolic-ref', 'refs/remotes/origin/HEAD', `refs/remotes/origin/${name}`);
};

test.each<[what: string, arrange: (git: Git) => unknown, ref: string | undefined]>([
  ['there is no remote', () => {}, 'refs/heads/main'],
  [
    'it is named so by the remote',
    (git) => [remoteBranch(git, 'trunk'), remoteHead(git, 'trunk')],
    'refs/remotes/origin/trunk',
  ],
  [
    'the remote names one that is gone',
    (git) => [remoteBranch(git, 'master'), remoteHead(git, 'old')],
    'refs/remotes/origin/master',
  ],
  ['the remote names none', (git) => remoteBranch(git, 'main'), 'refs/remotes/origin/main'],
  ['only a tag has its name', (git) => [git('tag', 'master'), git('branch', '-m', 'other')], undefined],
])('if %s, the default branch is found', async (_, arrange, ref) => {
  await using repository = await repositoryOf({ a: '' });
  arrange(repository.git);
  const [, name] = /^refs\/(?:heads|remotes\/origin)\/(.*)$/.exec(ref ?? '') ?? [];
  const expected = ref === undefined ? undefined : { ref, name };
  expect((await readRefs(contextIn(repository.path))).defaultBranch).toEqual(expected);
});

test.each<[what: string, arrange: (git: Git) => unknown, id: string]>([
  ['of its only remote', (git) => git('remote', 'add', 'work', 'git@host.test:org/shop.git'), 'host.test/org/shop'],
  ['of the first of several by name', (git) => ['b', 'a'].map((name) => addRemote(git, name)), 'host.test/org/a'],
  ['of origin', (git) => ['a', 'origin'].map((name) => addRemote(git, name)), 'host.test/org/origin'],
  ['of a remote with a dot', (git) => addRemote(git, 'x.url'), 'host.test/org/x.url'],
  [
    'of the URL that is set last',
    (git) => [addRemote(git, 'origin'), git('config', '--add', 'remote.origin.url', 'git@host.test:org/late.git')],
    'host.test/org/late',
  ],
])('a repository has the name %s', async (_, arrange, id) => {
  await using repository = await repositoryOf({ a: '' });
  arrange(repository.git);
  expect(await readRepository(contextIn(repository.path))).toMatchObject({ id });
});

test('outside of a repository there is none', async () => {
  await using repository = await repositoryOf({ a: '' });
  rmSync(join(repository.path, '.git'), { recursive: true });
  expect(await readRepository(contextIn(repository.path))).toBeUndefined();
});

test.each<[where: string, arrange: (git: Git) => unknown, branch: string | undefined]>([
  ['on a branch', (git) => git('checkout', '-q', '-b', 'fix/login'), 'fix/login'],
  ['on a branch that has the name of a tag', (git) => git('tag', 'main'), 'main'],
  ['on a branch without commits', (git) => git('checkout', '-q', '--orphan', 'new'), 'new'],
  ['on a commit', (git) => git('checkout', '-q', '--detach'), undefined],
])('%s, the branch is known', async (_, arrange, branch) => {
  await using repository = await repositoryOf({ a: '' });
  arrange(repository.git);
  const context = contextIn(repository.path);
  expect(await currentBranch(context, await readRefs(context))).toBe(branch);
});

test('what a branch contains is told of many commits, some of which are not here', async () => {
  await using repository = await repositoryOf({ a: '' });
  const { git } = repository;
  const commit = (...words: string[]) => {
    git('commit', '-q', '--allow-empty', '-m', 'more', ...words);
    return git('rev-parse', 'HEAD');
  };
  const merged = [git('rev-parse', 'HEAD'), commit()];
  git('checkout', '-q', '-b', 'work');
  const open = [commit(), commit()];
  const strange = ['f'.repeat(40), git('rev-parse', 'HEAD:a'), '--all', ''];
  const ask = (commits: string[]) => findMerged(contextIn(repository.path), commits, 'refs/heads/main');
  expect([...(await ask([...open, ...merged]))].sort()).toEqual([...merged].sort());
  expect([...(await ask([...strange, ...merged, ...open]))].sort()).toEqual([...merged].sort());
  expect((await ask(strange)).size).toBe(0);
});

const addRemote = (git: Git, name: string) => git('remote', 'add', name, `git@host.test:org/${name}.git`);

function contextIn(cwd: string) {
  return { cwd, env: machine(), signal: AbortSignal.timeout(60_000) };
}
