import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  currentBranch,
  findMerged,
  forkPullRequest,
  listAhead,
  readRefs,
  readRepository,
} from '../../../src/deploys/git/index.ts';
import { machine, newFolder, repositoryOf, withGit } from '../../support/index.ts';

type Git = ReturnType<typeof repositoryOf>['git'];

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
  const repository = repositoryOf({ a: '' });
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
  const repository = repositoryOf({ a: '' });
  arrange(repository.git);
  expect(await readRepository(contextIn(repository.path))).toMatchObject({ id });
});

describe('a repository', () => {
  let repository: ReturnType<typeof repositoryOf>;
  const idAt = async (url: string) => {
    repository.git('remote', 'set-url', 'origin', url);
    return (await readRepository(contextIn(repository.path)))?.id;
  };

  beforeAll(async () => {
    repository = repositoryOf({ a: '' }, 'git@github.test:org/shop.git');
  });
  test.each([
    ['https://GitHub.test/org/shop/', 'github.test/org/shop'],
    ['https://ada:secret@github.test/org/shop.git', 'github.test/org/shop'],
    ['ssh://git@github.test:2222/org/shop.git/', 'github.test/org/shop'],
    ['git@GITHUB.test:/org/shop', 'github.test/org/shop'],
    ['git@github.com:Org/Shop.git', 'github.com/org/shop'],
    ['ssh://git@ssh.github.com:443/org/shop.git', 'github.com/org/shop'],
  ])('has one id however its remote is spelled: %s', async (url, id) => {
    expect(await idAt(url)).toBe(id);
  });

  test('has another id wherever the remote may be another repository', async () => {
    const remotes = [
      'git@github.test:org/shop.git',
      'https://github.test:8443/org/shop.git',
      'https://github.test/Org/shop.git',
      'ada@github.test:org/shop.git',
      'bob@github.test:org/shop.git',
      'ada@github.test:/org/shop.git',
      '/srv/git/org/shop.git',
      '/srv/git/org/Shop.git',
    ];
    const ids = new Set<string | undefined>();
    for (const remote of remotes) ids.add(await idAt(remote));
    expect(ids.size).toBe(remotes.length);
  });
});

test.each([
  [{ GITHUB_HEAD_REF: 'topic', GITHUB_REF_NAME: '12/merge' }],
  [{ GITHUB_REF_NAME: 'topic' }],
  [{ CI_COMMIT_REF_NAME: 'topic' }],
  [{ CIRCLE_BRANCH: 'topic' }],
  [{ BUILDKITE_BRANCH: 'topic' }],
  [{ BUILD_SOURCEBRANCH: 'refs/heads/topic' }],
])('the CI system names the branch if none is checked out: %j', async (env) => {
  const context = { ...contextIn(newFolder()), env };
  expect(await currentBranch(context, await readRefs(context))).toBe('topic');
});

const gitlab = { CI_MERGE_REQUEST_IID: '12', CI_MERGE_REQUEST_PROJECT_PATH: 'org/shop' };
const buildkite = { BUILDKITE_PULL_REQUEST: '12', BUILDKITE_REPO: 'git@github.com:org/shop.git' };

test.each([
  [{ CIRCLE_PR_NUMBER: '12' }],
  [{ ...gitlab, CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: 'eve/shop' }],
  [{ ...buildkite, BUILDKITE_PULL_REQUEST_REPO: 'https://github.com/eve/shop.git' }],
  [{ SYSTEM_PULLREQUEST_ISFORK: 'True', SYSTEM_PULLREQUEST_PULLREQUESTID: '12' }],
])('a pull request from a fork is known by its number: %j', async (env) => {
  expect(await forkPullRequest({ env })).toBe('pr-12');
});

const pullFrom = (from: string | null) => {
  const pull = { number: 12, head: { repo: from && { full_name: from } }, base: { repo: { full_name: 'org/shop' } } };
  return JSON.stringify({ pull_request: pull });
};

test.each<[what: string, event: string | undefined, fork: string | undefined]>([
  ['of a fork', pullFrom('eve/shop'), 'pr-12'],
  ['of the repository itself', pullFrom('org/shop'), undefined],
  ['of a fork that is gone', pullFrom(null), 'pr-12'],
  ['without an event', undefined, 'pr-12'],
  ['with an event that is no JSON', 'not json', 'pr-12'],
  ['with an event of something else', '{}', 'pr-12'],
])('a pull request on GitHub, %s, is told from a branch', async (_, event, fork) => {
  const path = join(newFolder(), 'event.json');
  if (event !== undefined) writeFileSync(path, event);
  const env = { GITHUB_HEAD_REF: 'main', GITHUB_REF: 'refs/pull/12/merge', GITHUB_EVENT_PATH: path };
  expect(await forkPullRequest({ env })).toBe(fork);
});

test('outside of a repository there is none', async () => {
  const repository = repositoryOf({ a: '' });
  rmSync(join(repository.path, '.git'), { recursive: true });
  expect(await readRepository(contextIn(repository.path))).toBeUndefined();
});

test.each<[where: string, arrange: (git: Git) => unknown, branch: string | undefined]>([
  ['on a branch', (git) => git('checkout', '-q', '-b', 'fix/login'), 'fix/login'],
  ['on a branch that has the name of a tag', (git) => git('tag', 'main'), 'main'],
  ['on a branch without commits', (git) => git('checkout', '-q', '--orphan', 'new'), 'new'],
  ['on a commit', (git) => git('checkout', '-q', '--detach'), undefined],
])('%s, the branch is known', async (_, arrange, branch) => {
  const repository = repositoryOf({ a: '' });
  arrange(repository.git);
  const context = contextIn(repository.path);
  expect(await currentBranch(context, await readRefs(context))).toBe(branch);
});

test('what a branch contains is told of many commits, some of which are not here', async () => {
  const repository = repositoryOf({ a: '' });
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

test('what is ahead costs one round of questions to git', async () => {
  const repository = repositoryOf({ a: '' });
  const folder = newFolder();
  // Each waits until both were started: one after the other, they give up.
  const script = `#!/bin/sh
touch "${folder}/$$"
turns=0
while [ $(ls "${folder}" | wc -l) -lt 2 ]; do
  turns=$((turns + 1))
  [ $turns -lt 300 ] || { touch "${folder}/alone-$$"; exit 1; }
  sleep 0.02
done
exec "${join(withGit.PATH, 'git')}" "$@"
`;
  const path = newFolder();
  writeFileSync(join(path, 'git'), script, { mode: 0o755 });
  const context = { ...contextIn(repository.path), env: machine({ PATH: `${path}:${process.env.PATH}` }) };
  const sent = repository.git('rev-parse', 'HEAD');
  expect(await listAhead(context, async () => sent)).toBeUndefined();
  expect(readdirSync(folder)).toEqual([expect.any(String), expect.stringMatching(/^\d+$/)]);
});

const addRemote = (git: Git, name: string) => git('remote', 'add', name, `git@host.test:org/${name}.git`);

function contextIn(cwd: string) {
  return { cwd, env: machine(), signal: AbortSignal.timeout(60_000) };
}
