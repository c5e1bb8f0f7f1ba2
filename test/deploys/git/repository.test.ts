import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findDefaultBranch, readRepository } from '../../../src/deploys/git/index.ts';
import { machine } from '../../support/machine.ts';
import { repositoryOf } from '../../support/repository.ts';

type Git = Awaited<ReturnType<typeof repositoryOf>>['git'];

const remoteBranch = (git: Git, name: string) => git('update-ref', `refs/remotes/origin/${name}`, 'HEAD');
const remoteHead = (git: Git, name: string) => {
  git('symbolic-ref', 'refs/remotes/origin/HEAD', `refs/remotes/origin/${name}`);
};

test.each<[what: string, arrange: (git: Git) => unknown, ref: string | undefined]>([
  ['there is no remote', () => {}, 'main'],
  ['it is named so by the remote', (git) => [remoteBranch(git, 'trunk'), remoteHead(git, 'trunk')], 'origin/trunk'],
  [
    'the remote names one that is gone',
    (git) => [remoteBranch(git, 'master'), remoteHead(git, 'old')],
    'origin/master',
  ],
  ['the remote names none', (git) => remoteBranch(git, 'main'), 'origin/main'],
  ['only a tag has its name', (git) => [git('tag', 'master'), git('branch', '-m', 'other')], undefined],
])('if %s, the default branch is found', async (_, arrange, ref) => {
  await using repository = await repositoryOf({ a: '' });
  arrange(repository.git);
  const expected = ref === undefined ? undefined : { ref, name: ref.replace('origin/', '') };
  expect(await findDefaultBranch(contextIn(repository.path))).toEqual(expected);
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

const addRemote = (git: Git, name: string) => git('remote', 'add', name, `git@host.test:org/${name}.git`);

function contextIn(cwd: string) {
  return { cwd, env: machine(), signal: AbortSignal.timeout(60_000) };
}
