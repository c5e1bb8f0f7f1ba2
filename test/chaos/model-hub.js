// @ts-check
import { createHash } from 'node:crypto';
import { OwnServer } from './own-server.js';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

/**
 * @typedef {Buffer | { zeros: number, sha256: string }} Content bytes, or zeros of which only the number is in memory
 * @typedef {object} HubModel
 * @property {Record<string, Content>} files
 * @property {string[]} [inGit] names of those that the hub itself serves, because they are stored in Git
 * @property {string} [token] the only one that may read it
 * @property {boolean} [isListed] its list of files is public even so, as that of gated models is
 * @property {Record<string, Content>} [again] files that it lists once more, with this content
 * @property {string} [commit]
 *
 * @typedef {'hub' | 'cdn'} Host
 * @typedef {{ at: Host, name: string, count: number, request: IncomingMessage, response: ServerResponse }} Asked
 *   `count` is 1 for the first request of this file at this host
 * @typedef {{ at: Host, path: string, authorization: string | undefined, range: string | undefined }} Noted
 */

export const commit = 'c1899de289a04d12100db370d81485cdf75e47ca';

const zeros = Buffer.alloc(1024 * 1024);

/** The documented HTTP of a model hub on this machine, with a second host for large files. */
export class ModelHub {
  /** @type {Noted[]} */
  requests = [];
  /** The number of bytes of files that were sent. */
  sent = 0;
  /** It replies with 403 to a request without a token, too. */
  deniesStrangers = false;
  /** In bytes per second, for all connections together; 0: as fast as it gets. */
  rate = 0;
  /** Replies instead of the host if it returns true. @type {((asked: Asked) => boolean | Promise<boolean>) | undefined} */
  mischief;
  url = '';
  /** The address of the second host. */
  cdn = '';
  /** @type {Map<string, number>} */
  #counts = new Map();
  #freeAt = 0;

  /** @param {Record<string, HubModel>} models */
  static async start(models) {
    const hub = new ModelHub(models);
    hub.url = (await hub.servers.hub.start()).url;
    hub.cdn = (await hub.servers.cdn.start()).url;
    return hub;
  }

  /** @param {Record<string, HubModel>} models */
  constructor(models) {
    this.models = models;
    this.servers = {
      hub: new OwnServer((request, response) => this.#atHub(request, response)),
      cdn: new OwnServer((request, response) => this.#atCdn(request, response)),
    };
  }

  get env() {
    return { HF_ENDPOINT: this.url };
  }

  async close() {
    await Promise.all(Object.values(this.servers).map((server) => server.close()));
  }

  /** @param {IncomingMessage} request @param {ServerResponse} response */
  async #atHub(request, response) {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    this.#note('hub', request);
    const [, name = '', revision = 'main'] = /^\/api\/models\/(.+?)(?:\/revision\/([^/]+))?$/.exec(pathname) ?? [];
    if (name) return this.#tell(name, decodeURIComponent(revision), searchParams.has('blobs'), request, response);
    const [, model = '', at = '', path = ''] = /^\/(.+?)\/resolve\/([^/]+)\/(.+)$/.exec(pathname) ?? [];
    const known = this.models[model];
    const file = known?.files[decodeURIComponent(path)];
    if (!known || !file || at !== (known.commit ?? commit))
      return refuse(response, 404, 'EntryNotFound', 'Entry not found');
    if (!isAllowed(known, request)) return this.#refuseLogin(model, request, response);
    if (await this.#misbehaves('hub', path, request, response)) return;
    if (known.inGit?.includes(decodeURIComponent(path))) return this.serve(file, request, response);
    const location = `${this.cdn}/lfs/${model}/${path}?X-Amz-Expires=3600&X-Amz-Signature=signed`;
    response.writeHead(302, { location, 'x-repo-commit': at, 'x-linked-size': sizeOf(file) }).end();
  }

  /** @param {IncomingMessage} request @param {ServerResponse} response */
  async #atCdn(request, response) {
    const { pathname } = new URL(request.url ?? '/', this.cdn);
    this.#note('cdn', request);
    const [, model = '', path = ''] = /^\/lfs\/([^/]+\/[^/]+)\/(.+)$/.exec(pathname) ?? [];
    const file = this.models[model]?.files[decodeURIComponent(path)];
    if (!file) return void response.writeHead(404).end();
    if (await this.#misbehaves('cdn', path, request, response)) return;
    this.serve(file, request, response);
  }

  /** @param {Host} at @param {string} path @param {IncomingMessage} request @param {ServerResponse} response */
  async #misbehaves(at, path, request, response) {
    const count = (this.#counts.get(`${at} ${path}`) ?? 0) + 1;
    this.#counts.set(`${at} ${path}`, count);
    return (await this.mischief?.({ at, name: decodeURIComponent(path), count, request, response })) ?? false;
  }

  /** @param {Host} at @param {IncomingMessage} request */
  #note(at, { url = '', headers }) {
    this.requests.push({ at, path: url, authorization: headers.authorization, range: headers.range });
  }

  /**
   * What the hub knows of a model.
   * @param {string} name
   * @param {string} revision
   * @param {boolean} blobs
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   */
  #tell(name, revision, blobs, request, response) {
    const model = this.models[name];
    if (!model) return refuse(response, 401, 'RepoNotFound', 'Invalid username or password.');
    if (!model.isListed && !isAllowed(model, request)) return this.#refuseLogin(name, request, response);
    const sha = model.commit ?? commit;
    if (revision !== 'main' && !sha.startsWith(revision))
      return refuse(response, 404, 'RevisionNotFound', `Invalid rev id: ${revision}`);
    const siblings = [...Object.entries(model.files), ...Object.entries(model.again ?? {})].map(
      ([rfilename, content]) => {
        if (!blobs) return { rfilename };
        const size = sizeOf(content);
        const lfs = model.inGit?.includes(rfilename)
          ? {}
          : { lfs: { sha256: sha256Of(content), size, pointerSize: 134 } };
        return { rfilename, size, blobId: gitIdOf(content), ...lfs };
      },
    );
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: name, sha, gated: model.token ? 'manual' : false, private: false, siblings }));
  }

  /** @param {string} name @param {IncomingMessage} request @param {ServerResponse} response */
  #refuseLogin(name, { headers }, response) {
    const status = headers.authorization === undefined && !this.deniesStrangers ? 401 : 403;
    refuse(response, status, 'GatedRepo', `Access to model ${name} is restricted. You must have access to it.`);
  }

  /**
   * Sends a file or the range that is asked for.
   * @param {Content} content
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   */
  serve(content, request, response) {
    const size = sizeOf(content);
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const start = Number(from ?? 0);
    const end = Math.min(size, Number(to ?? size - 1) + 1);
    const etag = `"${gitIdOf(content)}"`;
    if (from !== undefined && start >= size)
      return void response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
    const ranged = from === undefined ? {} : { 'content-range': `bytes ${start}-${end - 1}/${size}` };
    response.writeHead(from === undefined ? 200 : 206, { etag, 'content-length': end - start, ...ranged });
    void this.#write(content, start, end, response);
  }

  /** @param {Content} content @param {number} start @param {number} end @param {ServerResponse} response */
  async #write(content, start, end, response) {
    for (let at = start; at < end && !response.destroyed; ) {
      const length = Math.min(end - at, this.rate > 0 ? 64 * 1024 : zeros.length);
      await this.#wait(length);
      this.sent += length;
      const chunk = Buffer.isBuffer(content) ? content.subarray(at, at + length) : zeros.subarray(0, length);
      if (!response.write(chunk)) await drained(response);
      at += length;
    }
    response.end();
  }

  /** @param {number} bytes */
  async #wait(bytes) {
    if (this.rate === 0) return;
    const now = performance.now();
    this.#freeAt = Math.max(now, this.#freeAt) + (bytes / this.rate) * 1_000;
    if (this.#freeAt - now > 2) await new Promise((resume) => setTimeout(resume, this.#freeAt - now));
  }
}

/** @param {ServerResponse} response */
function drained(response) {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve(undefined);
    };
    response.on('drain', done).on('close', done);
  });
}

/** @param {Content} content */
export function sizeOf(content) {
  return Buffer.isBuffer(content) ? content.length : content.zeros;
}

/** @param {Content} content */
export function sha256Of(content) {
  return Buffer.isBuffer(content) ? createHash('sha256').update(content).digest('hex') : content.sha256;
}

/** @param {Content} content */
function gitIdOf(content) {
  if (!Buffer.isBuffer(content)) return createHash('sha1').update(`zeros ${content.zeros}`).digest('hex');
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** @param {HubModel} model @param {IncomingMessage} request */
function isAllowed({ token }, { headers }) {
  return token === undefined || headers.authorization === `Bearer ${token}`;
}

/** @param {ServerResponse} response @param {number} status @param {string} code @param {string} message */
function refuse(response, status, code, message) {
  response.writeHead(status, { 'content-type': 'application/json', 'x-error-code': code, 'x-error-message': message });
  response.end(JSON.stringify({ error: message }));
}
