import { distinctPaths } from '../../kernel/distinct-paths.ts';
import { readVariable } from '../../kernel/environment.ts';
import {
  AuthError,
  ConflictError,
  DeniedError,
  GantryError,
  NotFoundError,
  UnexpectedReplyError,
  UsageError,
} from '../../kernel/errors.ts';
import { isRecord } from '../../kernel/json-text.ts';
import { readAtMost } from '../../platform/api/http-reply.ts';
import { readJsonReply } from '../../platform/api/reply.ts';
import type { Context } from '../../platform/context.ts';
import { toPathSegment } from '../../platform/contract/endpoint.ts';
import { requestError } from '../transfer/range-request.ts';
import type { FileSum } from '../transfer/read-content.ts';
import { repeated, type TransferContext } from '../transfer/transfer-context.ts';
import { followRedirects, locateWebFile, parseWebUrl } from '../transfer/web-file.ts';
import type { SourceFile } from './plan-files.ts';

export interface HubAccess {
  /** Without a slash at the end. */
  endpoint: string;
  token: string | undefined;
}

/** The hub that the variables of its own tools name. HF_TOKEN goes to the hub only, never to where it redirects. */
export function hubAccess({ env, secrets }: Pick<Context, 'env' | 'secrets'>): HubAccess {
  const endpoint = (readVariable(env, 'HF_ENDPOINT') ?? 'https://huggingface.co').replace(/\/+$/, '');
  if (!URL.canParse(endpoint)) throw new UsageError('HF_ENDPOINT is not a URL');
  parseWebUrl(endpoint);
  const token = readVariable(env, 'HF_TOKEN')?.trim();
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new UsageError('the token in HF_TOKEN has characters that no token has');
  secrets.add(token);
  return { endpoint, token };
}

/** The files of a model with their checksums. Without a revision, those of its default branch. */
export async function readModel(
  name: string,
  revision: string | undefined,
  { endpoint, token }: HubAccess,
  resources: TransferContext,
): Promise<{ commit: string; files: readonly SourceFile[] }> {
  const at = revision === undefined ? '' : `/revision/${toPathSegment(revision, 'revision')}`;
  const url = `${endpoint}/api/models/${name}${at}?blobs=true`;
  const { host } = new URL(endpoint);
  const failed = (error: unknown) => {
    throw explain(error, { name, revision, page: `${endpoint}/${name}`, hasToken: token !== undefined });
  };
  const body = await repeated(() => readJson({ url, token }, resources), resources).catch(failed);
  const { sha: commit, siblings, gated } = isRecord(body) ? body : {};
  if (typeof commit !== 'string' || !/^[0-9a-f]{7,64}$/.test(commit) || !Array.isArray(siblings))
    throw new UnexpectedReplyError(`${host} sent no list of the files of ${name}`);
  if (wholeCommit.test(revision ?? '') && commit !== revision) {
    throw new ConflictError(`${host} has another commit for ${revision}: ${commit}`, {
      why: 'a commit never changes: the hub, or a proxy, sent other files than it was asked for',
    });
  }
  const listed = siblings.map((sibling) => toFile(sibling, `${endpoint}/${name}/resolve/${commit}`, token));
  const { items: files, repeated: twice } = distinctPaths(listed);
  if (twice !== undefined)
    throw new UnexpectedReplyError(`${host} lists ${twice} of ${name} twice, with different contents`);
  // The list of a gated model is public, its files are not.
  const [first] = files;
  if (gated && first) await locateWebFile(first.web, resources).catch(failed);
  return { commit, files };
}

/** Not a branch, a tag or the start of a commit. */
const wholeCommit = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/** A list of some thousand files is shorter. */
const maxBodyBytes = 32 * 1024 * 1024;

async function readJson(
  asked: { url: string; token: string | undefined },
  resources: TransferContext,
): Promise<unknown> {
  const accepted = { accept: 'application/json', 'accept-encoding': 'identity' };
  const { reply, url } = await followRedirects(asked, accepted, resources);
  const from = new URL(url);
  const { content, isCut } = await readAtMost(reply.body, maxBodyBytes).catch((cause) => {
    throw requestError(cause, from, resources, resources.signal);
  });
  if (isCut) throw new UnexpectedReplyError('the list of files is longer than 32 MiB');
  const { statusCode: status, headers } = reply;
  return readJsonReply({ status, headers, body: content.toString('utf8'), host: from.host });
}

/** Large files have a SHA-256, those that are stored in Git itself an id of Git. */
function toFile(sibling: unknown, base: string, token: string | undefined): SourceFile {
  const { rfilename: path, size, blobId, lfs } = isRecord(sibling) ? sibling : {};
  const { sha256, size: lfsSize } = isRecord(lfs) ? lfs : {};
  const bytes = lfsSize ?? size;
  if (typeof path !== 'string' || !isInside(path) || !path.isWellFormed()) {
    throw new UnexpectedReplyError(`the hub has a file with an unusable name: ${JSON.stringify(path)}`);
  }
  const sum = sumOf(sha256, blobId);
  if (!sum || typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 0)
    throw new UnexpectedReplyError(`the hub does not tell the size and the checksum of ${path}`);
  const segments = path.split('/').map((name) => toPathSegment(name, 'file'));
  return { path, bytes, web: { url: `${base}/${segments.join('/')}`, token, sum } };
}

function sumOf(sha256: unknown, blobId: unknown): FileSum | undefined {
  const isSum = (value: unknown, digits: number): value is string =>
    typeof value === 'string' && new RegExp(`^[0-9a-f]{${digits}}$`).test(value);
  if (isSum(sha256, 64)) return { algorithm: 'sha256', hex: sha256 };
  return isSum(blobId, 40) ? { algorithm: 'git-blob', hex: blobId } : undefined;
}

function isInside(path: string): boolean {
  return (
    path.split('/').every((name) => !['', '.', '..'].includes(name)) && !/[\x00-\x1f\x7f\\]|\p{Surrogate}/u.test(path)
  );
}

/** The hub replies with 401 also for a model that does not exist, and with 403 until access was granted. */
function explain(
  error: unknown,
  { name, revision, page, hasToken }: { name: string; revision: string | undefined; page: string; hasToken: boolean },
): unknown {
  if (!(error instanceof GantryError)) return error;
  const { facts } = error;
  const login = 'set HF_TOKEN to a token of an account that may read it';
  if (error instanceof AuthError) {
    const fix = hasToken ? 'check the name, and whether the token is valid' : login;
    return new AuthError(`${name} is gated or private, or does not exist`, { ...facts, fix });
  }
  if (error instanceof DeniedError) {
    const message = hasToken
      ? `the account of the token may not read ${name}`
      : `${name} may not be read without a token`;
    return new DeniedError(message, { ...facts, fix: hasToken ? `ask for access: ${page}` : login });
  }
  if (!(error instanceof NotFoundError)) return error;
  const what = revision === undefined ? `model ${name}` : `model ${name} at revision ${revision}`;
  return new NotFoundError(`${what} not found`, { ...facts, fix: `look at ${page}` });
}
