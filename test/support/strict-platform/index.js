import { finished } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { bytesOf, OwnServer } from '../../chaos/own-server.js';
import { accountRoutes } from './account.js';
import { appRoutes } from './apps.js';
import { failed } from './failed.js';
import { afterwards, instead, wrongly } from './faults.js';
import { storageRoutes } from './storage.js';
import { Store } from './store.js';
import { volumeRoutes } from './volumes.js';

/** @typedef {import('./types.ts').Request} Request @typedef {import('./types.ts').Answer} Answer */
/** @typedef {import('./types.ts').Fault} Fault @typedef {import('./types.ts').Seen} Seen */
/**
 * @typedef {{
 *   point: string, method: string, path: string, query?: string[], open?: boolean,
 *   body?: import('./checks.js').Check, answer: (request: Request, platform: StrictPlatform) => Answer,
 * }} Route
 */

/** @type {Route[]} */
const routes = [...volumeRoutes, ...storageRoutes, ...appRoutes, ...accountRoutes];

/**
 * A platform written from the specification alone: it shares no code with the client. It refuses and notes everything
 * the specification does not allow, and misbehaves itself where a script says so.
 */
export class StrictPlatform extends OwnServer {
  /** What requests did wrong. @type {string[]} */
  findings = [];
  /** @type {Seen[]} */
  seen = [];
  /** @type {Fault[]} */
  faults = [];
  /** Hear of each request, when its head has come and when its answer is out. @type {((seen: Seen, phase: 'arrived' | 'answered') => void)[]} */
  listeners = [];
  /** Requests that are being answered. */
  busy = 0;
  /** @type {Map<string, number>} */
  #counts = new Map();

  /** @param {import('./types.ts').World} [world] */
  constructor(world) {
    super((request, response) => this.#serve(request, response));
    this.store = new Store(world);
  }

  /** @param {Fault[]} faults */
  script(faults) {
    this.faults = faults.map((fault) => ({ ...fault, fired: 0 }));
    this.#counts.clear();
  }

  /** @param {string} text */
  complain(text) {
    this.findings.push(text);
  }

  /** @param {import('node:http').IncomingMessage} incoming @param {import('node:http').ServerResponse} response */
  async #serve(incoming, response) {
    this.busy++;
    const { pathname, searchParams } = new URL(incoming.url ?? '/', this.url);
    const method = incoming.method ?? '';
    const { route, params, point } = find(method, pathname);
    const nth = (this.#counts.get(point) ?? 0) + 1;
    this.#counts.set(point, nth);
    const fault = this.#faultFor(point, nth);
    /** @type {Seen} */
    const seen = { n: this.seen.length + 1, nth, point, method, path: pathname, at: Date.now() };
    const by = this.#tokenOf(incoming.headers.authorization);
    if (by >= 0) seen.by = by;
    if (fault) seen.fault = fault.what;
    this.seen.push(seen);
    response.on('error', () => {});
    incoming.on('error', () => {});
    try {
      this.#tell(seen, 'arrived');
      if (fault?.what === 'cut-before') return void incoming.socket.destroy();
      const body = await bytesOf(incoming).catch(() => undefined);
      // The client cut it off.
      if (!body) return;
      if (fault?.what === 'silent') {
        await pause(fault.ms ?? 2_000);
        return void incoming.socket.destroy();
      }
      const headers = incoming.headers;
      /** @type {Request} */
      const request = { point, method, params, query: searchParams, headers, body, json: undefined };
      seen.work = true;
      const answer = this.#answer(request, route, fault);
      seen.status = answer.status;
      const misbehave = fault && connections[fault.what];
      if (misbehave) return void (await misbehave(incoming.socket));
      await send(response, answer, fault);
      if (fault?.what === 'second-response') incoming.socket.write(secondResponse);
    } catch (error) {
      this.complain(
        `the strict platform itself failed at ${method} ${pathname}: ${/** @type {Error} */ (error).stack}`,
      );
      response.destroy();
    } finally {
      this.busy--;
      this.#tell(seen, 'answered');
    }
  }

  /** @param {Request} request @param {Route | undefined} route @param {Fault | undefined} fault @returns {Answer} */
  #answer(request, route, fault) {
    const refused = route ? this.#check(request, route) : this.#noRoute(request);
    if (refused || !route) return refused ?? failed(404, 'no such route');
    const kind = fault?.what ?? '';
    const made = fault && instead[kind];
    if (made) return made(fault, request, this);
    const answer = wrongly[kind] ? wrongly[kind](request, this) : route.answer(request, this);
    const change = fault && answer.status < 300 ? afterwards[kind] : undefined;
    return change && fault ? change(answer, request, fault) : answer;
  }

  /** @param {Request} request @returns {Answer} */
  #noRoute({ method, headers, point }) {
    this.complain(`${method} to no known route: ${point}`);
    if (headers.authorization) this.complain(`a token was sent to ${point}`);
    return failed(404, 'no such route');
  }

  /** What is wrong with a request, as an answer. @param {Request} request @param {Route} route @returns {Answer | undefined} */
  #check(request, route) {
    const { point, params, headers, query, body, method } = request;
    if (!route.open) {
      if (this.#tokenOf(headers.authorization) < 0) {
        this.complain(`${point}: the token is missing or another one`);
        return failed(401, 'the token is invalid');
      }
      if (params.project !== undefined && params.project !== this.store.project) {
        this.complain(`${point}: project ${params.project}`);
        return failed(404, 'project not found');
      }
    }
    for (const name of query.keys()) {
      if (!(route.query ?? []).includes(name)) this.complain(`${point}: unknown query parameter ${name}`);
      else if (query.getAll(name).length > 1) this.complain(`${point}: query parameter ${name} was given twice`);
    }
    if (route.body) {
      if (!/^application\/json\b/.test(headers['content-type']?.toString() ?? '')) {
        this.complain(`${point}: the content type is ${headers['content-type']}`);
      }
      const wrong = parse(request) ?? route.body(request.json, 'body');
      if (wrong) {
        this.complain(`${point}: ${wrong}`);
        return failed(400, wrong);
      }
    } else if (point === 'invoke') parse(request);
    else if (body.length > 0 && method !== 'PUT') this.complain(`${point}: a body of ${body.length} bytes`);
    return undefined;
  }

  /** Which token a header has; -1: none that is known. @param {string | string[] | undefined} authorization */
  #tokenOf(authorization) {
    return this.store.tokens.findIndex((token) => authorization === `Bearer ${token}`);
  }

  /** @param {string} point @param {number} nth */
  #faultFor(point, nth) {
    const fault = this.faults.find((one) => one.point === point && nth >= one.from && nth < one.from + one.times);
    if (fault) fault.fired = (fault.fired ?? 0) + 1;
    return fault;
  }

  /** @param {Seen} seen @param {'arrived' | 'answered'} phase */
  #tell(seen, phase) {
    for (const listener of this.listeners) listener(seen, phase);
  }
}

/**
 * What becomes of a connection after the work was done, instead of an answer.
 * @type {Record<string, (socket: import('node:net').Socket) => unknown>}
 */
const connections = {
  'cut-after': (socket) => socket.destroy(),
  'reset-after': (socket) => socket.resetAndDestroy(),
  /** The client may still send. */
  'half-close': (socket) => socket.end(),
  upgrade: (socket) => socket.write(switching),
  'upgrade-and-close': (socket) => socket.end(switching),
};

const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const secondResponse = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]';

/** @param {string} method @param {string} pathname */
function find(method, pathname) {
  for (const route of routes) {
    const params = match(route.path, pathname);
    if (params && route.method === method) return { route, params, point: route.point };
  }
  return { route: undefined, params: {}, point: `${method} ${pathname}` };
}

/** @param {string} pattern @param {string} pathname @returns {Record<string, string> | undefined} */
function match(pattern, pathname) {
  if (pattern.endsWith('/*')) return pathname.startsWith(pattern.slice(0, -1)) ? {} : undefined;
  const [wanted, given] = [pattern.split('/'), pathname.split('/')];
  if (wanted.length !== given.length) return undefined;
  /** @type {Record<string, string>} */
  const params = {};
  for (const [index, name] of wanted.entries()) {
    const value = given[index] ?? '';
    if (name.startsWith(':')) params[name.slice(1)] = decodeURIComponent(value);
    else if (name !== value) return undefined;
  }
  return params;
}

/** @param {Request} request */
function parse(request) {
  try {
    request.json = JSON.parse(request.body.toString('utf8'));
    return undefined;
  } catch {
    return 'the body is not JSON';
  }
}

/** @param {import('node:http').ServerResponse} response @param {Answer} answer @param {Fault | undefined} fault */
async function send(response, { status, json, text, bytes, headers = {} }, fault) {
  const body = bytes ?? Buffer.from(text ?? (json === undefined ? '' : JSON.stringify(json)));
  const type = json === undefined ? 'text/plain; charset=utf-8' : 'application/json';
  const head = { 'content-type': type, 'x-request-id': 'chaos', ...headers };
  if (fault?.what === 'slow') await pause(fault.ms ?? 200);
  if (fault?.what === 'early-hints') {
    response.writeProcessing();
    response.writeEarlyHints({ link: '</a.css>; rel=preload' });
  }
  if (status === 204) {
    response.writeHead(204).end();
  } else if (fault?.what === 'cut-middle') {
    response.writeHead(status, { ...head, 'content-length': body.length });
    response.write(body.subarray(0, body.length >> 1), () => response.destroy());
  } else if (fault?.what === 'long') {
    // More than was listed, and no length.
    response.writeHead(status, head);
    response.end(Buffer.concat([body, Buffer.from('more than there is')]));
  } else {
    // Without a length the end of a chunked answer is the only one it has.
    const length = fault?.what === 'no-length' ? {} : { 'content-length': body.length };
    response.writeHead(status, { ...head, ...length });
    response.end(body);
  }
  // Also when the client has left before this.
  await finished(response).catch(() => {});
}
