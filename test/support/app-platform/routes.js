import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { iso, number, project, runsPage, shownRun } from './shown.js';

/** @typedef {import('./types.ts').Request} Request @typedef {import('./types.ts').Answer} Answer */
/** @typedef {import('./types.ts').App} App @typedef {import('./types.ts').Build} Build */
/** @typedef {import('./index.js').AppPlatform} AppPlatform */
/** @typedef {{ point: string, method: string, path: RegExp, answer: (request: Request, platform: AppPlatform) => Answer }} Route */

const app = `/v2/projects/${project}/apps/(?<app>[^/]+)`;
const build = `${app}/builds/(?<build>[^/]+)`;

/** @type {Route[]} */
export const routes = [
  route('create-app', 'POST', `/v2/projects/${project}/apps`, createApp),
  route('list-apps', 'GET', `/v2/projects/${project}/apps`, (_, { world }) => ({
    json: [...world.apps.values()].map((each) => summary(each, world)),
  })),
  route('get-app', 'GET', app, withApp(getApp)),
  route('scale-app', 'PATCH', app, withApp(scaleApp)),
  route(
    'delete-app',
    'DELETE',
    app,
    withApp(({ name }, _, { world }) => ({ json: {}, ...(world.apps.delete(name) && {}) })),
  ),
  route(
    'list-builds',
    'GET',
    `${app}/builds`,
    withApp((found, _, platform) => {
      const { hidesNewest, listsNewestFirst } = platform.quirks;
      const builds = platform.world.buildsOf(found);
      const listed = (hidesNewest ? builds.slice(0, -1) : builds).map((each) => shownBuild(each, platform));
      return { json: listsNewestFirst ? listed.reverse() : listed };
    }),
  ),
  route(
    'get-build',
    'GET',
    build,
    withBuild((found, _, platform) => ({ json: shownBuild(found, platform) })),
  ),
  route('cancel-build', 'DELETE', build, withBuild(cancelBuild)),
  route(
    'build-logs',
    'GET',
    `${build}/logs`,
    withBuild((found, _, { world }) => ({ json: { logs: [], status: world.statusOf(found) } })),
  ),
  route('zip-contents', 'GET', `${build}/zip-contents`, withBuild(zipContents)),
  route('containers', 'GET', `${app}/containers`, withApp(containers)),
  route(
    'runs',
    'GET',
    `${app}/runs`,
    withApp((found, { query }, platform) => ({ json: runsPage(found, query.get('nextToken'), platform, true) })),
  ),
  route(
    'chart',
    'GET',
    `${app}/runs/charts`,
    withApp((found, { query }, platform) => ({
      json: runsPage(found, query.get('nextToken') ?? query.get('offset'), platform),
    })),
  ),
  route('run', 'GET', `${app}/runs/(?<run>[^/]+)`, withApp(oneRun)),
  route('logs', 'GET', `${app}/logs`, () => ({ status: 204 })),
  route('upload', 'PUT', '/storage/(?<key>[^/]+)', upload),
  route('call', 'POST', `/v4/${project}/(?<app>[^/]+)/(?<fn>[^/]+)`, call),
  route('call', 'GET', `/v4/${project}/(?<app>[^/]+)/(?<fn>[^/]+)`, call),
];

/** @param {string} point @param {string} method @param {string} path @param {Route['answer']} answer @returns {Route} */
function route(point, method, path, answer) {
  return { point, method, path: new RegExp(`^${path}$`), answer };
}

/** @param {(found: App, request: Request, platform: AppPlatform) => Answer} answer @returns {Route['answer']} */
function withApp(answer) {
  return (request, platform) => {
    const id = request.params.app ?? '';
    const found = platform.world.apps.get(id.startsWith(`${project}-`) ? id.slice(project.length + 1) : id);
    return found ? answer(found, request, platform) : failed(404, 'app not found');
  };
}

/** @param {(found: Build, request: Request, platform: AppPlatform) => Answer} answer @returns {Route['answer']} */
function withBuild(answer) {
  return withApp((app, request, platform) => {
    const found = platform.world.buildsOf(app).find(({ id }) => id === request.params.build);
    return found ? answer(found, request, platform) : failed(404, 'build not found');
  });
}

/** @param {number} status @param {string} message @returns {Answer} */
export function failed(status, message) {
  return { status, json: { message } };
}

/** @param {Request} request @param {AppPlatform} platform @returns {Answer} */
function createApp({ body }, platform) {
  const sent = JSON.parse(String(body));
  if (platform.world.apps.get(sent.name)?.status === 'deleting') return failed(409, 'the app is being deleted');
  const made = platform.world.create(sent);
  const key = `${made.id}.zip`;
  platform.uploads.set(key, made);
  const date = new Date(made.createdAt).toISOString().replace(/[-:]|\.\d+/g, '');
  const query = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=${date}&X-Amz-Expires=600&X-Amz-SignedHeaders=host&X-Amz-Signature=0f`;
  return {
    json: {
      buildId: made.id,
      status: 'pending',
      keyName: key,
      dashboardUrl: `${platform.url}/dashboard/${sent.name}`,
      uploadUrl: `${platform.url}/storage/${key}?${query}`,
      internalEndpoint: addressOf(platform, sent.name),
    },
  };
}

/** @param {AppPlatform} platform @param {string} name */
function addressOf({ url }, name) {
  return `${url}/v4/${project}/${name}`;
}

/** @param {Request} request @param {AppPlatform} platform @returns {Answer} */
function upload({ params, body }, { uploads, world }) {
  const made = uploads.get(params.key ?? '');
  const wrong = made ? world.upload(made, body) : 'no such key';
  if (!wrong) return { text: '' };
  const text = `<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>${wrong}</Message></Error>`;
  return { status: 403, text, headers: { 'content-type': 'application/xml' } };
}

/** @param {App} found @param {import('./world.js').World} world */
function summary({ name, createdAt, ...rest }, world) {
  const times = { createdAt: iso(createdAt), updatedAt: iso(createdAt) };
  return {
    id: `${project}-${name}`,
    name,
    projectId: project,
    ...times,
    status: world.statusOfApp({ name, createdAt, ...rest }),
  };
}

/** All settings are text but the port (spec 2.4). @param {App} found @param {Request} _ @param {AppPlatform} platform @returns {Answer} */
function getApp(found, _, platform) {
  const { world } = platform;
  const shown = Object.entries(found.settings).map(([key, value]) => [
    key,
    typeof value === 'number' && key !== 'port' ? String(value) : value,
  ]);
  const [live, newest] = [world.shownLive(found), world.buildsOf(found).at(-1)];
  return {
    json: {
      ...Object.fromEntries(shown),
      ...summary(found, world),
      internalEndpoint: addressOf(platform, found.name),
      costPerSecondCents: '0.05',
      errorMessage: '',
      entrypoint: [],
      ...(newest && {
        lastBuildStatus: world.statusOf(newest),
        latestBuildId: newest.id,
        latestCreatedBuildId: newest.id,
      }),
      latestReadyBuildId: live?.id ?? '',
    },
  };
}

/** @param {App} found @param {Request} request @returns {Answer} */
function scaleApp(found, { body }) {
  Object.assign(found.settings, JSON.parse(String(body)));
  return { json: {} };
}

/** @param {Build} found @param {AppPlatform} platform */
function shownBuild(found, { world, quirks }) {
  const { id, createdAt } = found;
  const time = (/** @type {number} */ at) => (quirks.wholeSeconds ? iso(at).replace(/\.\d+/, '') : iso(at));
  return {
    id,
    status: world.statusOf(found),
    ...(!quirks.hasNoTimes && { createdAt: time(createdAt), updatedAt: time(world.changedAt(found)) }),
  };
}

/** @param {Build} found @param {Request} _ @param {AppPlatform} platform @returns {Answer} */
function cancelBuild(found, _, { world }) {
  if (found.ended) return failed(400, `the build is ${found.ended}`);
  found.canceledAt = world.now();
  return { text: `build ${found.id} was cancelled` };
}

/** @param {Build} found @param {Request} _ @param {AppPlatform} platform @returns {Answer} */
function zipContents({ id, files }, _, { quirks }) {
  const { hasNoChecksums, listsNamesOnly } = quirks;
  const listed = [...files].map(([path, bytes]) => [
    path,
    {
      ...(!listsNamesOnly && { size: number(bytes.length, quirks) }),
      ...(!listsNamesOnly && !hasNoChecksums && checksum(bytes, quirks)),
    },
  ]);
  return { json: { id, zipFiles: Object.fromEntries(listed) } };
}

/** @param {Buffer} bytes @param {import('./types.ts').Quirks} quirks */
function checksum(bytes, { hasHexChecksums, hasSha256 }) {
  if (hasSha256) return { sha256: createHash('sha256').update(bytes).digest('hex') };
  return { crc32: hasHexChecksums ? crc32(bytes).toString(16).padStart(8, '0') : crc32(bytes) };
}

/** @param {App} found @param {Request} _ @param {AppPlatform} platform @returns {Answer} */
function containers(found, _, { world, quirks }) {
  return {
    json: [...world.replicas(found), ...world.jobContainers(found)].map(
      ({ id, state, restarts, startedAt, isTerminating, build, ...more }) => ({
        containerId: id,
        containerState: state,
        isTerminating,
        buildId: build,
        projectId: project,
        ...(!quirks.restarts && { containerRestartCount: number(restarts, quirks) }),
        ...(quirks.restarts === 'start times' && { containerStartTimestamp: iso(startedAt) }),
        ...shownTimes(seenAt(more) ?? world.now(), startedAt, quirks),
      }),
    ),
  };
}

/** When it was seen last, if it is gone and still listed. @param {{ seenAt?: number }} replica */
function seenAt({ seenAt }) {
  return seenAt;
}

/** @param {number} now @param {number} startedAt @param {import('./types.ts').Quirks} quirks */
function shownTimes(now, startedAt, { replicaTimes }) {
  return {
    ...(/both|read/.test(replicaTimes ?? '') && { timestamp: iso(now) }),
    ...(/both|running/.test(replicaTimes ?? '') && { containerRunningTimeMs: now - startedAt }),
  };
}

/** @param {App} found @param {Request} request @param {AppPlatform} platform @returns {Answer} */
function oneRun(found, { params }, { world, quirks }) {
  const run = world.runs(found).find(({ id, at }) => id === params.run && at + (quirks.runsLateMs ?? 0) <= world.now());
  return run ? { json: { item: shownRun(run, quirks) } } : failed(404, 'run not found');
}

/** @param {Request} request @param {AppPlatform} platform @returns {Answer} */
function call({ params }, { world, callAnswer }) {
  const found = world.apps.get(params.app ?? '');
  if (!found) return failed(404, 'app not found');
  const { code, id } = world.call(found);
  const json = code < 400 ? { run_id: id, run_time_ms: 41.5, result: { ok: true } } : { message: 'no answer' };
  const answer = callAnswer?.(id) ?? { status: code, json };
  return { ...answer, headers: { 'x-request-id': id, ...answer.headers } };
}
