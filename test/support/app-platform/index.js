import { bytesOf, OwnServer } from '../../chaos/own-server.js';
import { failed, routes } from './routes.js';
import { project } from './shown.js';
import { World } from './world.js';

/** @typedef {import('./types.ts').Build} Build */

const token = [{ alg: 'HS256' }, { project_id: project, exp: 4_102_444_800 }, {}]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .join('.');

/**
 * A platform of apps that is written from the specification alone and shares no code with the client. Builds take their
 * time and end in any order, replicas live and die, and people call: all of that by a clock that it is given.
 */
export class AppPlatform extends OwnServer {
  /** True: nobody answers. */
  isDown = false;
  /** @type {import('./types.ts').Hook} */
  before = () => {};
  /** @type {import('./types.ts').Hook} */
  after = () => {};
  /** What a call of an app is answered with, if not with a result. @type {((run: string) => import('./types.ts').Answer) | undefined} */
  callAnswer;
  /** Files of storage by URL path. @type {Map<string, Build>} */
  uploads = new Map();
  /** @type {Map<string, number>} */
  #counts = new Map();
  /** @type {Map<string, import('./types.ts').Copy>} */

  /** @param {{ now?: () => number, quirks?: import('./types.ts').Quirks }} [options] */
  constructor({ now = Date.now, quirks = {} } = {}) {
    super((request, response) => this.#serve(request, response));
    this.quirks = quirks;
    this.world = new World(now, quirks);
  }

  /** The environment that leads a client here. @returns {Record<string, string>} */
  get env() {
    const { url } = this;
    return {
      GANTRY_API_URL: url,
      GANTRY_INFERENCE_URL: url,
      GANTRY_LOGS_URL: url,
      GANTRY_TOKEN: token,
      GANTRY_PROJECT: project,
    };
  }

  /** The app as it is now. @param {string} name */
  app(name) {
    this.world.settle();
    return this.world.apps.get(name);
  }

  /** The id of the build that serves. @param {string} [name] */
  live(name = 'web') {
    const app = this.app(name);
    return app && this.world.live(app)?.id;
  }

  /** What a request is answered with. @param {string} method @param {URL} url @param {Buffer} body */
  answer(method, url, body) {
    this.world.settle();
    const route = find(method, url);
    const refusal = this.quirks.refuses?.[route?.point ?? ''] ?? (route ? undefined : 404);
    if (refusal || !route) return failed(refusal ?? 404, 'not here');
    const params = /** @type {Record<string, string>} */ (route.path.exec(url.pathname)?.groups ?? {});
    const answer = () => route.answer({ params, query: url.searchParams, body }, this);
    if (method !== 'GET') return answer();
    const { lateMs, alters } = this.quirks;
    const given = this.world.before(lateMs?.[route.point] ?? 0, answer);
    return alters && given.json !== undefined ? { ...given, json: alters(route.point, given.json) } : given;
  }

  /** @param {import('node:http').IncomingMessage} incoming @param {import('node:http').ServerResponse} response */
  async #serve(incoming, response) {
    if (this.isDown) return void incoming.socket.destroy();
    const url = new URL(incoming.url ?? '/', this.url);
    const point = find(incoming.method ?? '', url)?.point ?? `${incoming.method} ${url.pathname}`;
    const nth = (this.#counts.get(point) ?? 0) + 1;
    this.#counts.set(point, nth);
    const body = await bytesOf(incoming).catch(() => undefined);
    if (!body) return;
    if ((await this.before({ point, nth })) === 'cut' || this.isDown) return void incoming.socket.destroy();
    const { status = 200, json, text, headers } = this.answer(incoming.method ?? '', url, body);
    if ((await this.after({ point, nth })) === 'cut' || this.isDown) return void incoming.socket.destroy();
    const type = json === undefined ? 'text/plain' : 'application/json';
    const date = new Date(this.world.now()).toUTCString();
    response.writeHead(status, { 'content-type': type, date, ...headers });
    response.end(status === 204 ? undefined : (text ?? JSON.stringify(json)));
  }
}

/** @param {string} method @param {URL} url */
function find(method, { pathname }) {
  return routes.find((route) => route.method === method && route.path.test(pathname));
}
