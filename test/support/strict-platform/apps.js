import { randomUUID } from 'node:crypto';
import { appCreation } from './checks.js';
import { failed } from './failed.js';

/** @typedef {import('./types.ts').Request} Request @typedef {import('./types.ts').Answer} Answer */
/** @typedef {import('./index.js').StrictPlatform} Platform */

const apps = '/v2/projects/:project/apps';
const one = `${apps}/:app`;
const build = `${one}/builds/:build`;

/** Apps, builds, runs, logs and calls (spec 4.2 to 4.9, 4.18; docs/platform.md#apps). */
export const appRoutes = [
  { point: 'create-app', method: 'POST', path: apps, body: appCreation, answer: createApp },
  { point: 'list-apps', method: 'GET', path: apps, query: ['includeEphemeral'], answer: listApps },
  { point: 'get-app', method: 'GET', path: one, answer: getApp },
  { point: 'list-builds', method: 'GET', path: `${one}/builds`, answer: listBuilds },
  { point: 'get-build', method: 'GET', path: build, answer: getBuild },
  { point: 'cancel-build', method: 'DELETE', path: build, answer: cancelBuild },
  { point: 'build-logs', method: 'GET', path: `${build}/logs`, answer: buildLogs },
  { point: 'zip-contents', method: 'GET', path: `${build}/zip-contents`, answer: zipContents },
  { point: 'runs-chart', method: 'GET', path: `${one}/runs/charts`, query: chartQuery(), answer: runsChart },
  { point: 'runs', method: 'GET', path: `${one}/runs`, query: ['asyncOnly', 'nextToken'], answer: asyncRuns },
  { point: 'run', method: 'GET', path: `${one}/runs/:run`, answer: oneRun },
  { point: 'containers', method: 'GET', path: `${one}/containers`, answer: containers },
  { point: 'logs', method: 'GET', path: `${one}/logs`, query: logsQuery(), answer: appLogs },
  { point: 'invoke', method: 'POST', path: '/v4/:project/:name/:function', query: invokeQuery(), answer: invoke },
];

function chartQuery() {
  // Where the answer has a token, it must be good for something (spec 2.8).
  return [
    'nextToken',
    'startTime',
    'endTime',
    'limit',
    'offset',
    'status',
    'statusCode',
    'groupBy',
    'aggregate',
    'timezone',
  ].concat(['minStartupTime', 'maxStartupTime', 'minResponseTime', 'maxResponseTime']);
}

function logsQuery() {
  return ['container', 'beforeDate', 'afterDate', 'pageSize', 'nextToken', 'direction', 'search', 'stream', 'runId'];
}

function invokeQuery() {
  return ['async', 'webhookEndpoint'];
}

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function createApp({ json, params }, platform) {
  const { store } = platform;
  const { name } = /** @type {{ name: string }} */ (json);
  const { coming, log, initError } = store.nextBuild;
  const id = `b-${randomUUID().slice(0, 8)}`;
  store.created.push(id);
  store.builds.set(id, {
    id,
    app: name,
    status: 'pending',
    coming: [...coming],
    log,
    zip: undefined,
    createdAt: isoNow(),
    ...(initError ? { initError } : {}),
  });
  const url = `${platform.url}/v4/${params.project}/${name}`;
  if (!store.apps.has(name)) store.apps.set(name, { name, fields: appFields(store.project, name) });
  return {
    status: 200,
    json: {
      buildId: id,
      status: 'pending',
      keyName: `${params.project}/cortex/${name}/build-${id}.zip`,
      uploadUrl: store.sign(platform.url, { kind: 'zip', build: id }, `builds/${id}.zip`),
      internalEndpoint: url,
      dashboardUrl: `${platform.url}/dashboard/${name}`,
    },
  };
}

/** @param {Request} _request @param {Platform} platform @returns {Answer} */
function listApps(_request, { store }) {
  return { status: 200, json: [...store.apps.values()].map(({ name, fields }) => summary(store, name, fields)) };
}

/** @param {import('./store.js').Store} store @param {string} name @param {Record<string, unknown>} fields */
function summary({ project }, name, fields) {
  return {
    id: `${project}-${name}`,
    name,
    projectId: project,
    region: 'us-east-1',
    hardware: 'CPU',
    status: 'ready',
    createdAt: '2026-11-01T10:00:00Z',
    updatedAt: '2026-11-02T10:00:00Z',
    hardwareProvider: 'aws',
    cost_metrics: { cpu_cost: 1.5, total_cost: 1.5 },
    request_metrics: { successful: 3, errored: 1, total: 4 },
    ...Object.fromEntries(Object.entries(fields).filter(([field]) => field in { status: 1, region: 1, hardware: 1 })),
  };
}

/** @param {string} project @param {string} name */
export function appFields(project, name) {
  return {
    id: `${project}-${name}`,
    name,
    projectId: project,
    status: 'ready',
    hardware: 'CPU',
    region: 'us-east-1',
    cpu: '2',
    memory: '4',
    gpuCount: '0',
    minReplicaCount: '0',
    maxReplicaCount: '1',
    runtime: 'cortex',
    cooldownPeriodSeconds: '10',
    responseGracePeriodSeconds: '900',
    port: 8000,
    disableAuth: true,
    errorMessage: '',
    baseImage: 'debian:bookworm-slim',
    createdAt: '2026-11-01T10:00:00Z',
    updatedAt: '2026-11-02T10:00:00Z',
    entrypoint: [],
    hardwareProvider: 'aws',
    computeTier: 'interruptible',
    lastBuildStatus: 'success',
    latestBuildId: 'b-old',
    pythonVersion: '3.11',
    costPerSecondCents: '0.01',
  };
}

/** @param {Request} request @param {Platform} platform */
function appOf({ params }, { store }) {
  const prefix = `${store.project}-`;
  return params.app?.startsWith(prefix) ? store.apps.get(params.app.slice(prefix.length)) : undefined;
}

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function getApp(request, platform) {
  const app = appOf(request, platform);
  return app ? { status: 200, json: app.fields } : failed(404, 'app not found');
}

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function listBuilds(request, platform) {
  const app = appOf(request, platform);
  if (!app) return failed(404, 'app not found');
  const builds = [...platform.store.builds.values()].filter((item) => item.app === app.name);
  return { status: 200, json: builds.map(plainBuild) };
}

/** @param {import('./types.ts').Build} build */
function plainBuild({ id, status, initError, createdAt }) {
  return { id, status, createdAt, updatedAt: createdAt, ...(initError && isBad(status) ? { initError } : {}) };
}

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function getBuild(request, platform) {
  const found = platform.store.builds.get(request.params.build ?? '');
  if (!found) return failed(404, 'build not found');
  // Each look is one step on, once the archive has come; a canceled build stays as it is.
  const next = found.coming.length > 1 ? found.coming.shift() : found.coming[0];
  if (found.zip && next && !isOver(found.status)) found.status = next;
  const app = platform.store.apps.get(found.app);
  if (app && isOver(found.status) && !isBad(found.status)) app.fields = { ...app.fields, latestBuildId: found.id };
  const plain = plainBuild(found);
  const { initError } = plain;
  return { status: 200, json: initError ? { ...plain, initError: filledIn(initError, platform) } : plain };
}

/** What logs of builds repeat: `{token}` stands for that of the user. @param {string} text @param {Platform} platform */
function filledIn(text, { store }) {
  return text.replaceAll('{token}', store.tokens[0] ?? '');
}

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function cancelBuild(request, platform) {
  const found = platform.store.builds.get(request.params.build ?? '');
  if (!found) return failed(404, 'build not found');
  if (isOver(found.status)) return failed(400, `build is ${found.status}`);
  found.status = 'cancelled';
  return { status: 200, text: `build ${found.id} was cancelled` };
}

/** @param {string} status */
export function isOver(status) {
  return status === 'success' || status === 'ready' || isBad(status);
}

/** @param {string} status */
function isBad(status) {
  return ['failure', 'build_failure', 'init_failure', 'init_timeout', 'cancelled'].includes(status);
}

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function buildLogs(request, platform) {
  const found = platform.store.builds.get(request.params.build ?? '');
  if (!found) return failed(404, 'build not found');
  const begin = Date.parse(found.createdAt);
  const logs = found.log.map((log, index) => ({
    id: `l-${index}`,
    createdAt: new Date(begin + index).toISOString(),
    log: filledIn(log, platform),
  }));
  return { status: 200, json: { logs, status: found.status } };
}

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function zipContents(request, platform) {
  const found = platform.store.builds.get(request.params.build ?? '');
  return found ? { status: 200, json: { id: found.id, zipFiles: {} } } : failed(404, 'build not found');
}

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function runsChart({ query }, platform) {
  const { store } = platform;
  const limit = wholeNumber(query.get('limit') ?? '100');
  const offset = wholeNumber(query.get('offset') ?? '0');
  if (limit === undefined || limit < 1 || offset === undefined) {
    platform.complain(`runs-chart: limit ${query.get('limit')}, offset ${query.get('offset')}`);
    return failed(400, 'limit must be greater than 0');
  }
  const [start, end] = ['startTime', 'endTime'].map((name) => Date.parse(query.get(name) ?? ''));
  if (Number.isNaN(start) || Number.isNaN(end)) platform.complain('runs-chart: no range in RFC 3339');
  const isIn = (/** @type {Record<string, unknown>} */ run) => {
    const at = Date.parse(String(run.createdAt));
    return at >= (start ?? 0) && at <= (end ?? 0);
  };
  const matching = store.runs.filter(isIn);
  if (store.runsLie === 'invented') return { status: 200, json: { ...inventedRuns(store), total: matching.length } };
  if ((end ?? 0) - (start ?? 0) > 86_400_000 || query.get('aggregate') === 'true') {
    return { status: 200, json: { aggregatedData: [], groupBy: 'hour', timeRange: 'custom', total: matching.length } };
  }
  const token = wholeNumber(query.get('nextToken') ?? '');
  const begin = token ?? (store.runsLie === 'offset-ignored' ? 0 : offset);
  const items = matching.slice(begin, begin + Math.min(limit, 100));
  const more = begin + items.length < matching.length;
  const next = store.runsLie === 'token-forever' || more ? { nextToken: String(begin + items.length) } : {};
  const total = store.runsLie === 'no-total' ? {} : { total: matching.length };
  return { status: 200, json: { items, ...next, ...total } };
}

/** A page that nobody has seen before, and the token of another one. @param {import('./store.js').Store} store */
function inventedRuns({ runs }) {
  const items = runs.slice(0, 100).map((run) => ({ ...run, id: randomUUID() }));
  return { items, nextToken: randomUUID() };
}

/** @param {string} text */
function wholeNumber(text) {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function asyncRuns({ query }, { store }) {
  const begin = Number(query.get('nextToken') ?? 0);
  const matching = store.runs.filter((run) => query.get('asyncOnly') !== 'true' || run.async === true);
  if (store.runsLie === 'invented') return { status: 200, json: inventedRuns(store) };
  const items = matching.slice(begin, begin + 50);
  const next = begin + 50 < matching.length ? String(begin + 50) : null;
  const lie = store.runsLie === 'token-forever' ? String(begin) : next;
  return { status: 200, json: { items, nextToken: lie } };
}

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function oneRun({ params }, { store }) {
  const item = store.runs.find(({ id }) => id === params.run);
  return item ? { status: 200, json: { item } } : failed(404, 'run not found');
}

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function appLogs({ query }, platform) {
  const { store } = platform;
  const size = wholeNumber(query.get('pageSize') ?? '100');
  if (!size) platform.complain(`logs: pageSize ${query.get('pageSize')}`);
  if (!['forward', 'backward', null].includes(query.get('direction'))) platform.complain('logs: direction');
  for (const name of ['afterDate', 'beforeDate']) {
    const text = query.get(name);
    if (text !== null && !/^\d{4}-\d\d-\d\dT/.test(text)) platform.complain(`logs: ${name} is not ISO: ${text}`);
  }
  const after = Date.parse(query.get('afterDate') ?? '') || 0;
  const before = Date.parse(query.get('beforeDate') ?? '') || Number.POSITIVE_INFINITY;
  const matching = store.logs.filter((line) => {
    const at = Date.parse(String(line.timestamp));
    return at >= after && at <= before;
  });
  if (matching.length === 0) return { status: 204 };
  const ordered = query.get('direction') === 'forward' ? matching : matching.toReversed();
  const begin = Number(query.get('nextToken') ?? 0);
  const logs = ordered.slice(begin, begin + Math.min(size ?? 100, 40));
  const end = begin + logs.length;
  const hasMore = end < ordered.length;
  if (store.logsLie) {
    const nextPageToken = String(store.logsLie === 'repeats' ? begin : end);
    return { status: 200, json: { logs, nextPageToken, hasMore: true } };
  }
  return { status: 200, json: { logs, nextPageToken: hasMore ? String(end) : null, hasMore } };
}

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function invoke({ body, params, query, headers, json }, platform) {
  const { store } = platform;
  if (headers['content-type']?.includes('json') && json === undefined)
    platform.complain('invoke: the body is not JSON');
  const run = randomUUID();
  store.calls.push({ path: `${params.name}/${params.function}`, body, run });
  if (query.get('async') === 'true') {
    return { status: 202, json: { run_id: run }, headers: { 'x-request-id': run } };
  }
  const { status, body: result } = store.invocation;
  const reply = status < 400 ? { run_id: run, run_time_ms: 1.5, result } : result;
  return { status, json: reply, headers: { 'x-request-id': run } };
}

function isoNow() {
  return new Date().toISOString();
}

/** All runs are calls of one replica. @returns {Answer} */
function containers() {
  return { status: 200, json: [{ containerId: 'web-0', containerState: 'RUNNING', buildId: 'b-1' }] };
}
