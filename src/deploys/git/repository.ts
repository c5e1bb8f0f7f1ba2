import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { readVariable, type Variable } from '../../kernel/environment.ts';
import { UsageError } from '../../kernel/errors.ts';
import { tryParseJson } from '../../kernel/json-text.ts';
import type { Context } from '../../platform/context.ts';
import { type GitContext, git, isShallowClone, tryGit, tryRevision, unlessFailed } from './run-git.ts';

/** The repository of the working directory, the same for all of its clones as far as that can be known. */
export interface Repository {
  root: string;
  /** `github.com/org/repo` of a remote, else of the first commit, else of the folder. */
  id: string;
  /** The last part of the remote or the folder. */
  name: string;
}

/** Undefined outside of a repository, or without git. */
export async function readRepository(context: GitContext): Promise<Repository | undefined> {
  const folder = await tryGit(context, ['rev-parse', '--show-toplevel']);
  if (folder === '') return undefined;
  const url = await findRemote(context);
  // On another machine, the same path may be another repository.
  const localId = async () =>
    [url, (await firstCommit(context)) ?? `${hostname()}:${folder}`].filter(Boolean).join(' ');
  return {
    root: folder,
    id: placeOfRemote(url) ?? (await localId()),
    name: basename(url ? withoutSuffix(url).replace(/^.*[:/]/, '') : folder),
  };
}

/** Whether no commit would have this file, unless it is added by force. */
export async function isIgnored(context: GitContext, file: string): Promise<boolean> {
  return (
    (await unlessFailed(git(context, ['ls-files', '--cached', '--others', '--exclude-standard', '--', file]))) === ''
  );
}

/** The URL of `origin`, else of the first remote by name. */
async function findRemote(context: GitContext): Promise<string | undefined> {
  const settings = await tryGit(context, ['config', '-z', '--get-regexp', String.raw`^remote\..*\.url$`]);
  const urls = settings.split('\0').flatMap((setting): [name: string, url: string][] => {
    const [, name, url] = /^remote\.(.*)\.url\n(.*)$/s.exec(setting) ?? [];
    return name !== undefined && url ? [[name, url]] : [];
  });
  // The last one of a name counts.
  const byName = new Map(urls);
  const [first] = [...byName.keys()].sort();
  return byName.get('origin') ?? byName.get(first ?? '');
}

/** The branch that is checked out, or the one that the CI system builds. */
export async function currentBranch(context: GitContext, { checkedOut }: Refs): Promise<string | undefined> {
  if (checkedOut) return checkedOut.branch;
  // A branch without commits is in no list.
  const ref = await tryGit(context, ['symbolic-ref', '--quiet', 'HEAD']);
  return ref.replace(/^refs\/heads\//, '') || pipelineBranches(context)[0];
}

/** The commit that is checked out, on a branch or not; empty without any. */
export async function currentCommit(context: GitContext, { checkedOut }: Refs): Promise<string> {
  return checkedOut?.commit ?? (await tryGit(context, ['rev-parse', '--verify', '--quiet', 'HEAD']));
}

/** The branches that a CI system names; the first is that of its job. */
function pipelineBranches({ env }: Pick<Context, 'env'>): string[] {
  return branchVariables.flatMap((name) => readVariable(env, name)?.replace(/^refs\/heads\//, '') ?? []);
}

/** CI systems check out a commit. Those of a merge request come first: the others then name something else. */
const branchVariables: readonly Variable[] = [
  'GITHUB_HEAD_REF',
  'GITHUB_REF_NAME',
  'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME',
  'CI_COMMIT_REF_NAME',
  'CIRCLE_BRANCH',
  'BUILDKITE_BRANCH',
  'SYSTEM_PULLREQUEST_SOURCEBRANCH',
  'BUILD_SOURCEBRANCH',
];

/** The commit here, and whether it lacks any of these files as they are. */
export async function readCheckedOut(context: GitContext, files: readonly string[] = []) {
  // A submodule is not part of the commit, and has settings of its own.
  const format = [
    '--porcelain=v2',
    '--branch',
    '--no-ahead-behind',
    '--untracked-files=no',
    '--ignore-submodules=dirty',
  ] as const;
  const [status, listed] = await Promise.all([
    tryGit(context, ['status', ...format, '--', '.']),
    files.length === 0 ? '' : tryGit(context, ['ls-files', '-v', '-s', '-z', '--', '.']),
  ]);
  // A repository without commits has `(initial)`.
  const commit = /^# branch\.oid ([0-9a-f]+)$/m.exec(status)?.[1];
  if (commit === undefined) return undefined;
  const watched = new Set(listed.split('\0').map((line) => watchedFile.exec(line)?.[1]));
  return { commit, dirty: /^[^#]/m.test(status) || files.some((path) => !watched.has(path)) };
}

/** A regular file that `git status` looks at: not a link, whose target may be anything, and not `--assume-unchanged`. */
const watchedFile = /^H 100\d+ \S+ 0\t(.*)$/s;

/** Where the branches of a clone are. */
export type Refs = Awaited<ReturnType<typeof readRefs>>;

/** The commits of all branches, by one process. A local branch hides the one of a remote. */
export async function readRefs(context: GitContext) {
  const format = '%(HEAD)%09%(refname)%09%(objectname)%09%(symref)';
  const listed = await tryGit(context, ['for-each-ref', `--format=${format}`, 'refs/heads', 'refs/remotes']);
  const refs = listed.split('\n').flatMap((line) => {
    const [head, ref = '', commit = '', target] = line.split('\t');
    const branch = branchOf(ref);
    return branch === undefined ? [] : [{ isCheckedOut: head === '*', ref, branch, commit, target }];
  });
  const checkedOut = refs.find(({ isCheckedOut }) => isCheckedOut);
  // Local branches are listed before those of remotes.
  const named = refs.filter(({ branch }) => branch !== 'HEAD').reverse();
  const chosen = refs.find(({ ref }) => ref === 'refs/remotes/origin/HEAD')?.target;
  const main = chosen || usualDefaults.find((name) => refs.some(({ ref }) => ref === name));
  return {
    checkedOut: checkedOut && { branch: checkedOut.branch, commit: checkedOut.commit },
    branches: new Map(named.map(({ branch, commit }) => [branch, commit])),
    defaultBranch: main ? { ref: main, name: branchOf(main) ?? main } : undefined,
  };
}

function branchOf(ref: string): string | undefined {
  return /^refs\/(?:heads|remotes\/[^/]+)\/(.+)$/.exec(ref)?.[1];
}

const usualDefaults = ['remotes/origin/main', 'remotes/origin/master', 'heads/main', 'heads/master'].map(
  (name) => `refs/${name}`,
);

/**
 * What is checked out, and the commits of branches and tags that have it in their past. `lacks`: the last commit that was sent,
 * if this full clone does not have it. Undefined if there is nothing of either kind.
 */
export async function listAhead(context: GitContext, findSent: () => Promise<string | undefined>) {
  const past = (head: string) => tryGit(context, ['rev-list', ...shared, '--ancestry-path', `^${head}`]);
  // Most clones are full and up to date, and have sent what is checked out: both questions at once.
  const state = tryGit(context, ['rev-parse', '--is-shallow-repository', 'HEAD']);
  const [some, said, sent = ''] = await Promise.all([past('HEAD'), state, findSent()]);
  const [shallow, head] = said.split('\n');
  const isShallow = shallow !== 'false';
  const isKnown = isShallow || sent === '' || sent === head || (await tryRevision(context, sent)) !== '';
  const lacks = isKnown ? undefined : sent;
  if (!head || (some === '' && !isShallow && lacks === undefined)) return undefined;
  return { head, commits: new Set((await past(head)).split('\n')), isShallow, lacks };
}

/** The last commits of this clone. */
export async function listRecent(context: GitContext, count: number): Promise<string[]> {
  const all = await tryGit(context, ['rev-list', `--max-count=${count}`, 'HEAD', ...shared]);
  return all.split('\n').filter(Boolean);
}

/** The files of a name in all folders of this clone, relative to the working directory. */
export async function listTracked(context: GitContext, name: string): Promise<string[]> {
  return (await tryGit(context, ['ls-files', '-z', '--', `:(top,glob)**/${name}`])).split('\0').filter(Boolean);
}

/** The refs that commits are looked for in. A commit that none of them has was taken back; stashes are not deployed. */
const shared = ['--branches', '--tags', '--remotes'] as const;

/** Whether filters may make other files of what git has. */
export async function mayConvert(context: GitContext): Promise<boolean> {
  return (await unlessFailed(git(context, ['ls-files', '--', ':(top,glob)**/.gitattributes']))) !== '';
}

/** The commits that a branch contains. What this clone does not have is not among them. */
export async function findMerged(context: GitContext, commits: readonly string[], into: string): Promise<Set<string>> {
  const ids = [...new Set(commits)].filter((commit) => /^[0-9a-f]{40,64}$/.test(commit));
  // Git tells nothing of any if one of them is missing.
  const types = (await tryGit(context, ['cat-file', '--batch-check'], { input: inputOf(ids) })).split('\n');
  const here = ids.filter((_, at) => / commit \d+$/.test(types[at] ?? ''));
  const listed = await unlessFailed(git(context, ['rev-list', '--stdin'], { input: `${inputOf(here)}^${into}\n` }));
  const open = new Set(listed?.split('\n'));
  return new Set(listed === undefined ? [] : here.filter((id) => !open.has(id)));
}

const inputOf = (ids: readonly string[]) => ids.map((id) => `${id}^{commit}\n`).join('');

/**
 * What is the same in all spellings of a remote that surely name one repository: `git@github.com:Org/repo.git` and
 * `ssh://git@ssh.github.com:443/org/repo/`. Where a port, a user other than `git` or the case of a path may make it another
 * one, they are kept. Undefined for a folder.
 */
function placeOfRemote(url = ''): string | undefined {
  const full = withoutSuffix(url).replace(/^(?:([^@/]+)@)?([^/:@]+):(?!\/\/)/, 'ssh://$1@$2/~/');
  if (!URL.canParse(full)) return undefined;
  const { protocol, username, hostname: bareHost, host, pathname } = new URL(full);
  if (bareHost === '') return undefined;
  const isSsh = /ssh/.test(protocol);
  // Paths of other users begin in a home folder of their own.
  const path = pathname.replace(/^\/~\//, '');
  if (isSsh && !/^(git)?$/i.test(username)) return `${username}@${host.toLowerCase()}:${path}`;
  // A host has one SSH server as a rule, at whatever port.
  const lower = (isSsh ? bareHost : host).toLowerCase();
  const name = sshHosts[lower] ?? lower;
  const bare = path.replace(/^\/+/, '');
  return `${name}/${hostsWithoutCase.has(name) ? bare.toLowerCase() : bare}`;
}

function withoutSuffix(url: string): string {
  return url
    .trim()
    .replace(/\/+$/, '')
    .replace(/\.git$/i, '');
}

/** Hosts that do not tell repositories by case. */
const hostsWithoutCase = new Set(['github.com', 'gitlab.com', 'bitbucket.org', 'codeberg.org', 'dev.azure.com']);

/** Where SSH is reached at the port of HTTPS, behind firewalls. */
const sshHosts: Record<string, string> = {
  'ssh.github.com': 'github.com',
  'altssh.gitlab.com': 'gitlab.com',
  'altssh.bitbucket.org': 'bitbucket.org',
};

/** Not of a shallow clone, whose first commit is any. */
async function firstCommit(context: GitContext): Promise<string | undefined> {
  if (await isShallowClone(context)) return undefined;
  const commits = await tryGit(context, ['rev-list', '--max-parents=0', 'HEAD']);
  return commits.split('\n').at(-1) || undefined;
}

/** `pr-12` for a pull request from a fork: forks have branches of equal names (`patch-1`). Undefined for others. */
export async function forkPullRequest({ env }: Pick<Context, 'env'>): Promise<string | undefined> {
  const read = (name: Variable) => readVariable(env, name);
  const idOf = (name: Variable) => placeOfRemote(read(name));
  const isOfFork = /^true$/i.test(read('SYSTEM_PULLREQUEST_ISFORK') ?? '');
  const requests: [isFork: boolean, number: string | number | undefined][] = [
    [true, await githubFork(read)],
    [
      isOther(read('CI_MERGE_REQUEST_SOURCE_PROJECT_PATH'), read('CI_MERGE_REQUEST_PROJECT_PATH')),
      read('CI_MERGE_REQUEST_IID'),
    ],
    // Set for pull requests from forks only.
    [true, read('CIRCLE_PR_NUMBER')],
    [isOther(idOf('BUILDKITE_PULL_REQUEST_REPO'), idOf('BUILDKITE_REPO')), read('BUILDKITE_PULL_REQUEST')],
    [isOfFork, read('SYSTEM_PULLREQUEST_PULLREQUESTID')],
  ];
  const request = requests.find(([isFork, number]) => isFork && number !== undefined);
  return request && `pr-${request[1]}`;
}

/** A pull request of which nobody knows where it comes from counts as one from a fork: its branch may be called like ours. */
async function githubFork(read: (name: Variable) => string | undefined): Promise<string | number | undefined> {
  const path = read('GITHUB_EVENT_PATH');
  const event = path === undefined ? undefined : tryParseJson(await readFile(path, 'utf8').catch(() => ''));
  const { number, head, base } = (event as GithubEvent | null | undefined)?.pull_request ?? {};
  if (number !== undefined) {
    return head?.repo === null || isOther(head?.repo?.full_name, base?.repo?.full_name) ? number : undefined;
  }
  if (read('GITHUB_HEAD_REF') === undefined) return undefined;
  const fromRef = /^refs\/pull\/(\d+)\//.exec(read('GITHUB_REF') ?? '')?.[1];
  if (fromRef !== undefined || path === undefined) return fromRef;
  throw new UsageError('whether the pull request is from a fork is not known', {
    why: `${path} does not describe it`,
    fix: 'set GITHUB_EVENT_PATH to the file with the event of the pull request',
  });
}

/** What previews call a branch: in the pipeline of a fork's pull request, its branch goes by the request. */
export async function previewedBranch(context: Pick<Context, 'env'>, branch: string): Promise<string> {
  const fork = pipelineBranches(context).includes(branch) ? await forkPullRequest(context) : undefined;
  return fork ?? branch;
}

interface GithubEvent {
  pull_request?: { number?: number; head?: PullSide; base?: PullSide };
}

interface PullSide {
  /** Null if it was deleted since. */
  repo?: { full_name?: string } | null;
}

function isOther(head: string | undefined, base: string | undefined): boolean {
  return head !== undefined && base !== undefined && head !== base;
}
