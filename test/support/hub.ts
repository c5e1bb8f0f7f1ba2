import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What a model has: files of Git LFS, which the second host serves, and others, which the hub serves itself. */
export interface HubModel {
  files: Record<string, Content>;
  /** Names that are stored in Git itself. */
  inGit?: string[];
  /** Only with this token. */
  token?: string;
  /** Whether an account with another token is denied (403) instead of unknown (401). */
  commit?: string;
}

/** Bytes, or zeros of which only the length is in memory. */
export type Content = Buffer | { zeros: number; sha256: string };

/** A request of a file at the second host, or of one that the hub has itself. */
export interface Asked {
  name: string;
  count: number;
  request: IncomingMessage;
  response: ServerResponse;
}

/** Answers instead of the hub, or leaves it to it. */
export type Mischief = (asked: Asked & { at: 'hub' | 'cdn' }) => boolean | Promise<boolean>;

export interface Hub {
  env: { HF_ENDPOINT: string };
  url: string;
  /** The address of the second host. */
  cdn: string;
  requests: { at: 'hub' | 'cdn'; path: string; authorization: string | undefined; range: string | undefined }[];
  /** How many bytes of files were sent. */
  sent: () => number;
  models: Record<string, HubModel>;
  mischief: Mischief | undefined;
  close: () => void;
}

export const commit = 'c1899de289a04d12100db370d81485cdf75e47ca';

/** The documented HTTP of a model hub on this machine, with a second host for large files. Ends with the test. */
export async function startHub(models: Record<string, HubModel>): Promise<Hub> {
  const counts = new Map<string, number>();
  let sent = 0;
  const hub = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', state.url);
    state.requests.push(noted('hub', request));
    const [, name = '', revision = 'main'] = /^\/api\/models\/(.+?)(?:\/revision\/([^/]+))?$/.exec(pathname) ?? [];
    if (name) return sayModel(name, revision, searchParams.has('blobs'), request, response);
    const [, model = '', at = '', path = ''] = /^\/(.+?)\/resolve\/([^/]+)\/(.+)$/.exec(pathname) ?? [];
    const known = state.models[model];
    const file = known?.files[decodeURIComponent(path)];
    if (!known || !file || at !== (known.commit ?? commit))
      return refuse(response, 404, 'EntryNotFound', 'Entry not found');
    if (!isAllowed(known, request)) return refuseLogin(model, request, response);
    if (await state.mischief?.({ at: 'hub', name: path, count: countOf(`hub ${path}`), request, response })) return;
    if (known.inGit?.includes(decodeURIComponent(path))) return void serve(file, request, response);
    const link = `${state.cdn}/lfs/${model}/${path}?X-Amz-Expires=3600&X-Amz-Signature=signed`;
    response.writeHead(302, { location: link, 'x-repo-commit': at, 'x-linked-size': sizeOf(file) }).end();
  });
  const cdn = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', state.cdn);
    state.requests.push(noted('cdn', request));
    const [, model = '', path = ''] = /^\/lfs\/([^/]+\/[^/]+)\/(.+)$/.exec(pathname) ?? [];
    const file = state.models[model]?.files[decodeURIComponent(path)];
    if (!file) return void response.writeHead(404).end();
    if (await state.mischief?.({ at: 'cdn', name: path, count: countOf(`cdn ${path}`), request, response })) return;
    serve(file, request, response);
  });

  function countOf(what: string): number {
    const count = (counts.get(what) ?? 0) + 1;
    counts.set(what, count);
    return count;
  }

  function sayModel(
    name: string,
    revision: string,
    blobs: boolean,
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    const model = state.models[name];
    if (!model) return refuse(response, 401, 'RepoNotFound', 'Invalid username or password.');
    if (!isAllowed(model, request)) return refuseLogin(name, request, response);
    const sha = model.commit ?? commit;
    if (!['main', sha].includes(decodeURIComponent(revision)) && !sha.startsWith(revision))
      return refuse(response, 404, 'RevisionNotFound', `Invalid rev id: ${revision}`);
    const siblings = Object.entries(model.files).map(([rfilename, content]) => {
      if (!blobs) return { rfilename };
      const size = sizeOf(content);
      const lfs = model.inGit?.includes(rfilename)
        ? {}
        : { lfs: { sha256: sha256Of(content), size, pointerSize: 134 } };
      return { rfilename, size, blobId: gitIdOf(content), ...lfs };
    });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: name, sha, gated: model.token ? 'manual' : false, private: false, siblings }));
  }

  function serve(content: Content, request: IncomingMessage, response: ServerResponse): void {
    const size = sizeOf(content);
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const start = Number(from ?? 0);
    const end = Math.min(size, Number(to ?? size - 1) + 1);
    const etag = `"${gitIdOf(content)}"`;
    if (from !== undefined && start >= size)
      return void response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
    const ranged = from === undefined ? {} : { 'content-range': `bytes ${start}-${end - 1}/${size}` };
    response.writeHead(from === undefined ? 200 : 206, { etag, 'content-length': end - start, ...ranged });
    void write(content, start, end, response);
  }

  async function write(content: Content, start: number, end: number, response: ServerResponse): Promise<void> {
    for (let at = start; at < end && !response.destroyed; ) {
      const length = Math.min(end - at, zeros.length);
      sent += length;
      if (!response.write(Buffer.isBuffer(content) ? content.subarray(at, at + length) : zeros.subarray(0, length)))
        await new Promise<void>((resume) => response.once('drain', resume).once('close', resume));
      at += length;
    }
    response.end();
  }

  const servers = [hub, cdn];
  const state: Hub = {
    ...{ url: '', cdn: '', env: { HF_ENDPOINT: '' }, requests: [], models, mischief: undefined },
    sent: () => sent,
    close: () => {
      for (const server of servers) server.close().closeAllConnections();
    },
  };
  state.url = await listen(hub);
  state.cdn = await listen(cdn);
  state.env = { HF_ENDPOINT: state.url };
  onTestFinished(() => state.close());
  return state;
}

const zeros = Buffer.alloc(1024 * 1024);

export function sizeOf(content: Content): number {
  return Buffer.isBuffer(content) ? content.length : content.zeros;
}

export function sha256Of(content: Content): string {
  return Buffer.isBuffer(content) ? createHash('sha256').update(content).digest('hex') : content.sha256;
}

function gitIdOf(content: Content): string {
  if (!Buffer.isBuffer(content)) return createHash('sha1').update(`zeros ${content.zeros}`).digest('hex');
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

function noted(at: 'hub' | 'cdn', { url = '', headers }: IncomingMessage): Hub['requests'][number] {
  return { at, path: url, authorization: headers.authorization, range: headers.range };
}

function isAllowed({ token }: HubModel, { headers }: IncomingMessage): boolean {
  return token === undefined || headers.authorization === `Bearer ${token}`;
}

function refuseLogin(name: string, { headers }: IncomingMessage, response: ServerResponse): void {
  const status = headers.authorization === undefined ? 401 : 403;
  refuse(response, status, 'GatedRepo', `Access to model ${name} is restricted. You must have access to it.`);
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-error-code': code, 'x-error-message': message });
  response.end(JSON.stringify({ error: message }));
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
