/** @typedef {import('./draw.js').Draw} Draw @typedef {import('../support/strict-platform/types.ts').Fault} Fault */

/** Faults that go with any request; `safe` ones are survived where a repeat is harmless. */
const common = /** @type {const} */ ([
  [5, 'status'],
  [2, 'status-page'],
  [3, 'echo'],
  [4, 'cut-before'],
  [4, 'cut-after'],
  [2, 'cut-middle'],
  [2, 'web-page'],
  [1, 'web-page-after'],
  [1, 'redirect'],
  [2, 'slow'],
  [2, 'gzip'],
  [2, 'extra-fields'],
  [1, 'garbage'],
  [1, 'empty'],
  [1, 'silent'],
  [2, 'upgrade'],
  [1, 'upgrade-and-close'],
  [1, 'reset-after'],
  [1, 'half-close'],
  [1, 'early-hints'],
  [1, 'second-response'],
  [1, 'odd-status'],
]);

/** Faults that only mean something at one kind of request. @type {Record<string, readonly (readonly [number, string])[]>} */
const special = {
  complete: [
    [6, 'nothing-done'],
    [5, 'drop-part'],
    [4, 'cut-after'],
    [4, 'web-page'],
  ],
  rm: [
    [6, 'nothing-done'],
    [4, 'no-volume'],
    [3, 'web-page'],
  ],
  'cancel-build': [
    [6, 'nothing-done'],
    [3, 'web-page'],
  ],
  get: [
    [5, 'wrong-range'],
    [5, 'flip'],
    [4, 'short-whole'],
    [3, 'other-etag'],
    [2, 'no-etag'],
    [3, 'no-length'],
    [3, 'long'],
    [4, 'cut-middle'],
  ],
  put: [[3, 'other-etag']],
  'get-app': fields(),
  'list-apps': fields(),
  'create-app': fields(),
  'get-build': fields(),
  'build-logs': fields(),
  ls: fields(),
};

/** @returns {readonly (readonly [number, string])[]} */
function fields() {
  return [
    [4, 'null-text'],
    [4, 'missing-text'],
    [3, 'number-text'],
    [3, 'extra-fields'],
    [3, 'echo-fields'],
  ];
}

const statuses = [500, 502, 503, 503, 504, 429, 429, 408, 400, 401, 402, 403, 404, 409, 412, 418];

/**
 * One misbehavior at one of these points. Mostly at one of the first requests, mostly once: what goes on for long takes
 * the client long to give up on.
 * @param {Draw} draw @param {readonly string[]} points @returns {Fault}
 */
export function drawFault(draw, points) {
  const point = draw.pick(points);
  const own = special[point];
  const drawn = own && draw.chance(0.6) ? draw.weighted(own) : draw.weighted(common);
  // These endpoints may answer with an empty body, so the client could not tell it from a fault.
  const what = drawn === 'empty' && ['get-secrets', 'logs'].includes(point) ? 'garbage' : drawn;
  const from = draw.weighted([
    [6, 1],
    [3, 2],
    [2, 3],
    [1, draw.int(4, 12)],
  ]);
  const times = draw.weighted([
    [8, 1],
    [3, 2],
    [0.4, 1000],
  ]);
  const lasts = what === 'silent' || isSlow(what, times) ? 1 : times;
  const fault = { point, what, from, times: lasts };
  if (what === 'no-volume') {
    return { ...fault, what: 'status', status: 404, message: 'volume default does not exist in this region' };
  }
  if (what === 'status' || what === 'status-page') {
    const status = draw.pick(statuses);
    const retryAfter = status === 429 || status === 503 ? draw.pick([undefined, '0', '1']) : undefined;
    const many = [408, 429, 500, 502, 503, 504].includes(status) ? Math.min(lasts, 3) : lasts;
    return { ...fault, times: many, status, ...(retryAfter === undefined ? {} : { retryAfter }) };
  }
  if (what === 'echo') return { ...fault, status: draw.pick([400, 401, 403, 404, 409, 500]) };
  // Damage that lasts: what is tried only once more has to fail, and leave the target alone.
  if (what === 'flip') return { ...fault, times: draw.pick([1, 3]) };
  if (what === 'odd-status') return { ...fault, status: draw.pick([203, 206, 299]) };
  if (what === 'slow') return { ...fault, ms: draw.int(50, 600) };
  return fault;
}

/** What a client may try again five times, with waits in between. @param {string} what @param {number} times */
function isSlow(what, times) {
  return times > 3 && /^(cut|short|flip|status|slow|silent|echo|upgrade|reset|half|odd)/.test(what);
}

/** Faults after which a command still has to succeed, at requests that may be repeated. */
const harmless = new Set([
  'slow',
  'early-hints',
  'second-response',
  'gzip',
  'extra-fields',
  'null-text',
  'missing-text',
  'number-text',
  'no-length',
]);
const lostReplies = /^(cut-before|cut-after|cut-middle|upgrade|upgrade-and-close|reset-after|half-close)$/;
const passing = new Set([408, 429, 500, 502, 503, 504]);
const repeatable = new Set(['put', 'get', 'ls', 'download', 'get-build', 'get-app', 'list-apps', 'list-accounts']);

/** Whether all of these have to be survived. @param {import('./types.ts').Outcome['fired']} fired */
export function areSurvivable(fired) {
  // Secrets that are not text are refused: what is not understood is never written back.
  const isHarmless = (/** @type {{ what: string, point: string }} */ { what, point }) =>
    harmless.has(what) && !(what === 'extra-fields' && point === 'get-secrets');
  const disturbances = fired.filter((fault) => !isHarmless(fault));
  const times = disturbances.reduce((sum, fault) => sum + fault.times, 0);
  return (
    times <= 2 &&
    disturbances.every(
      ({ point, what, status = 0 }) =>
        repeatable.has(point) && (lostReplies.test(what) || (/^status/.test(what) && passing.has(status))),
    )
  );
}

/** Answers of a form that nobody can read: exit code 70 says so. @param {import('./types.ts').Outcome['fired']} fired */
export function hadUnreadable(fired) {
  return fired.some(({ what }) => /^(web-page|garbage|empty|nothing-done|redirect)/.test(what));
}
