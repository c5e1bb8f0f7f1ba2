import { gzipSync } from 'node:zlib';
import { damaged } from './store.js';
import { complete } from './volumes.js';

/** @typedef {import('./types.ts').Answer} Answer @typedef {import('./types.ts').Fault} Fault */
/** @typedef {import('./types.ts').Request} Request @typedef {import('./index.js').StrictPlatform} Platform */

const page = '<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Sign in to the network</body></html>\n';
const webPage = { text: page, headers: { 'content-type': 'text/html; charset=utf-8' } };

/**
 * Answers that take the place of the work: nothing was done.
 * @type {Record<string, (fault: Fault, request: Request, platform: Platform) => Answer>}
 */
export const instead = {
  status: ({ status = 503, message, retryAfter }) => ({
    status,
    json: { message: message ?? `made up: ${status}` },
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  }),
  /** A server that shows what it was sent, and links of others. */
  echo: ({ status = 403 }, { headers, json }, { store, url }) => {
    const link = store.sign(url, { kind: 'object', region: 'us-east-1', path: '/nothing' }, 'object');
    const sent = json === undefined ? '' : ` with ${JSON.stringify(json).slice(0, 300)}`;
    const message = `refused: ${headers.authorization ?? 'nobody'} may not${sent}, see ${link} for more`;
    return { status, json: { message } };
  },
  'status-page': ({ status = 503 }) => ({ status, ...webPage }),
  'web-page': () => ({ status: 200, ...webPage }),
  redirect: (_fault, _request, { url }) => ({
    status: 302,
    text: '',
    headers: { location: `${url}/elsewhere?to=login` },
  }),
  /** The answer of a success, of the promised kind, with nothing done. */
  'nothing-done': (_fault, { point, params, json }) => pretended(point, params, json),
};

/** @param {string} point @param {Record<string, string>} params @param {unknown} json @returns {Answer} */
function pretended(point, params, json) {
  if (point === 'rm') return { status: 200, text: 'deleted' };
  if (point === 'cancel-build') return { status: 200, text: `build ${params.build} was cancelled` };
  if (point === 'update-account') return { status: 200, json: { serviceAccountId: params.account } };
  void json;
  return { status: 200, json: { message: 'ok' } };
}

/**
 * Work done wrongly.
 * @type {Record<string, (request: Request, platform: Platform) => Answer>}
 */
export const wrongly = {
  'drop-part': (request, platform) => complete(request, platform, { dropPart: true }),
};

/**
 * What becomes of an answer after the work was done.
 * @type {Record<string, (answer: Answer, request: Request, fault: Fault) => Answer>}
 */
export const afterwards = {
  'web-page-after': () => ({ status: 200, ...webPage }),
  gzip: (answer, { headers }) => (allowsGzip(headers['accept-encoding']) ? zipped(answer) : answer),
  'extra-fields': (answer) => mapped(answer, (object) => ({ ...object, xNew: { deep: [1, null] }, zzz: null })),
  'null-text': (answer, { point }) => mapped(answer, (object) => nulled(object, point)),
  'missing-text': (answer, { point }) => mapped(answer, (object) => dropped(object, point)),
  'number-text': (answer) => mapped(answer, numbersAsText),
  /** Texts of an answer that repeat how they were asked for. */
  'echo-fields': (answer, { point, headers }) => mapped(answer, (object) => echoed(object, point, headers)),
  garbage: (answer) => ('json' in answer ? { status: answer.status, text: '{"cut": [1, 2' } : answer),
  empty: (answer) => ({ status: answer.status, text: '', ...(answer.headers && { headers: answer.headers }) }),
  /** A part, or what a proxy has changed. */
  'odd-status': (answer, _request, { status = 206 }) => ('json' in answer ? { ...answer, status } : answer),
  // Of storage:
  'wrong-range': (answer) => {
    const range = answer.headers?.['content-range'];
    if (!range) return answer;
    const moved = range.replace(/bytes (\d+)-(\d+)/, (_, a, b) => `bytes ${Number(a) + 1}-${Number(b) + 1}`);
    return { ...answer, headers: { ...answer.headers, 'content-range': moved } };
  },
  flip: (answer) => {
    // Only an ETag that is an MD5 gives the damage away.
    const isTold = /^"[0-9a-f]{32}(-1)?"$/.test(answer.headers?.etag ?? '');
    if (!answer.bytes || answer.bytes.length === 0 || !isTold) return answer;
    return { ...answer, bytes: damaged(answer.bytes) };
  },
  'short-whole': (answer) =>
    answer.bytes && answer.bytes.length > 1
      ? { ...answer, bytes: answer.bytes.subarray(0, answer.bytes.length >> 1) }
      : answer,
  'other-etag': (answer) => ({ ...answer, headers: { ...answer.headers, etag: '"0123456789abcdef0123456789abcdef"' } }),
  'no-etag': (answer) => {
    const { etag: _etag, ...headers } = answer.headers ?? {};
    return { ...answer, headers };
  },
};

/** @param {string | string[] | undefined} accepted */
function allowsGzip(accepted) {
  return accepted === undefined || /gzip|\*/.test(String(accepted));
}

/** @param {Answer} answer @returns {Answer} */
function zipped(answer) {
  const body = answer.bytes ?? Buffer.from(answer.text ?? JSON.stringify(answer.json));
  const type = 'json' in answer ? 'application/json' : 'text/plain';
  return {
    status: answer.status,
    bytes: gzipSync(body),
    headers: { 'content-type': type, ...answer.headers, 'content-encoding': 'gzip' },
  };
}

/** @param {Answer} answer @param {(object: Record<string, unknown>) => Record<string, unknown>} change @returns {Answer} */
function mapped(answer, change) {
  if (!('json' in answer)) return answer;
  const { json } = answer;
  const isPlain = (/** @type {unknown} */ value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const apply = (/** @type {unknown} */ value) => (isPlain(value) ? change(/** @type {any} */ (value)) : value);
  return { ...answer, json: Array.isArray(json) ? json.map(apply) : apply(json) };
}

/** Fields that no one needs to go on. */
const spare = /** @type {Record<string, string[]>} */ ({
  'get-app': ['errorMessage', 'region', 'baseImage', 'hardwareProvider', 'computeTier', 'pythonVersion', 'entrypoint'],
  'list-apps': ['region', 'hardware', 'hardwareProvider', 'status', 'cost_metrics', 'request_metrics', 'updatedAt'],
  'create-app': ['keyName', 'dashboardUrl'],
  'get-build': ['createdAt', 'updatedAt', 'initError'],
  'build-logs': ['status'],
  'list-accounts': [],
  ls: ['last_modified'],
  'runs-chart': ['nextToken'],
  logs: [],
});

/** @param {Record<string, unknown>} object @param {string} point */
function nulled(object, point) {
  const changed = { ...object };
  for (const name of spare[point] ?? []) if (name in object) changed[name] = null;
  return changed;
}

/** @param {Record<string, unknown>} object @param {string} point */
function dropped(object, point) {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !(spare[point] ?? []).includes(name)));
}

/** @param {Record<string, unknown>} object @param {string} point @param {Request['headers']} headers */
function echoed(object, point, { authorization }) {
  const changed = { ...object };
  for (const name of spare[point] ?? [])
    if (typeof changed[name] === 'string') changed[name] = `asked with ${authorization}`;
  return changed;
}

/** @param {Record<string, unknown>} object */
function numbersAsText(object) {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
  );
}
