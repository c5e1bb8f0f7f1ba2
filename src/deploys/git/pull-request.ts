import { readFile } from 'node:fs/promises';
import { readVariable, type Variable } from '../../kernel/environment.ts';
import { UsageError } from '../../kernel/errors.ts';
import { tryParseJson } from '../../kernel/json-text.ts';
import type { Context } from '../../platform/context.ts';
import { pipelineBranches, placeOfRemote } from './repository.ts';

/**
 * `pr-12` for a pull request from a fork. Forks have branches of equal names (`patch-1`), which are told by nothing else;
 * a branch of the repository itself is called by its name. Undefined for these, and outside of a pull request.
 */
export async function forkPullRequest({ env }: Pick<Context, 'env'>): Promise<string | undefined> {
  const read = (name: Variable) => readVariable(env, name);
  const request = [
    await githubFork(read),
    isOther(read('CI_MERGE_REQUEST_SOURCE_PROJECT_PATH'), read('CI_MERGE_REQUEST_PROJECT_PATH'))
      ? read('CI_MERGE_REQUEST_IID')
      : undefined,
    // Set for pull requests from forks only.
    read('CIRCLE_PR_NUMBER'),
    isOther(idOf(read('BUILDKITE_PULL_REQUEST_REPO')), idOf(read('BUILDKITE_REPO')))
      ? read('BUILDKITE_PULL_REQUEST')
      : undefined,
    /^true$/i.test(read('SYSTEM_PULLREQUEST_ISFORK') ?? '') ? read('SYSTEM_PULLREQUEST_PULLREQUESTID') : undefined,
  ].find((known) => known !== undefined);
  return request === undefined ? undefined : `pr-${request}`;
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
  const known = /^refs\/pull\/(\d+)\//.exec(read('GITHUB_REF') ?? '')?.[1];
  if (known !== undefined || path === undefined) return known;
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
  pull_request?: { number?: number; head?: Source; base?: Source };
}

interface Source {
  /** Null if it was deleted since. */
  repo?: { full_name?: string } | null;
}

function isOther(head: string | undefined, base: string | undefined): boolean {
  return head !== undefined && base !== undefined && head !== base;
}

function idOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : placeOfRemote(url);
}
