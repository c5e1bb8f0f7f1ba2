import { readZip } from '../../chaos/zip.js';

/** @typedef {import('./types.ts').App} App @typedef {import('./types.ts').Build} Build */
/** @typedef {import('./types.ts').Behavior} Behavior @typedef {import('./types.ts').Service} Service */

/** Times in ms. An upload URL is good for ten minutes. */
export const urlLifeMs = 600_000;
const startMs = 1_000;
const lifeMs = 5_000;
/** How long replicas of the build before still answer. */
const drainMs = 4_000;
/** How long runs are listed. */
const listedMs = 300_000;
const jobMs = 1_500;
const never = Number.POSITIVE_INFINITY;
const texts = ['region', 'computeTier', 'runtime', 'baseImage', 'pythonVersion', 'scalingMetric'];

/** All settings that get app shows, for requests that leave them out. */
const usual = {
  minReplicaCount: 0,
  maxReplicaCount: 1,
  cooldownPeriodSeconds: 10,
  replicaConcurrency: 100,
  cpu: 2,
  memory: 4,
  gpuCount: 0,
  responseGracePeriodSeconds: 900,
  region: 'us-east-1',
  computeTier: 'interruptible',
  port: 8000,
  runtime: 'cortex',
  disableAuth: true,
  baseImage: 'debian:bookworm-slim',
  pythonVersion: '3.11',
  scalingMetric: 'concurrency_utilization',
  scalingTarget: 100,
  scalingBuffer: 0,
  rollOutDurationSeconds: 0,
};

/** Apps and what becomes of them as time passes. What is in here is the truth that a client is judged by. */
export class World {
  /** @type {Map<string, App>} */
  apps = new Map();
  /** @type {Map<string, Build>} */
  builds = new Map();
  #looks = 0;
  /** Calls that were answered, by the client's own doing. @type {{ app: string, build: string, at: number, code: number, id: string }[]} */
  calls = [];
  /** Runs of a file, each in a container of its own, of no build. @type {{ app: string, at: number, code: number, id: string }[]} */
  jobs = [];

  /** @param {() => number} now @param {import('./types.ts').Quirks} quirks */
  constructor(now, quirks) {
    this.now = now;
    this.quirks = quirks;
  }

  /** @param {Record<string, unknown>} body @returns {Build} */
  create(body) {
    const name = String(body.name);
    const app = this.apps.get(name) ?? newApp(name, this.now());
    this.apps.set(name, app);
    app.settings = { ...usual, ...this.quirks.defaults, ...defined(body) };
    // Ids say nothing of the order.
    const id = `b-${((0x3000 + this.builds.size * 0x9e37) % 0x10000).toString(16).padStart(4, '0')}${name.length.toString(16)}`;
    const build = { id, app: name, createdAt: this.now(), body, files: new Map(), behavior: {} };
    app.builds.push(build);
    this.builds.set(id, build);
    return build;
  }

  /** What is wrong with it is said, if anything. @param {Build} build @param {Buffer} zip */
  upload(build, zip) {
    const isRefused = this.quirks.uploadsOnce && build.uploadedAt !== undefined;
    if (isRefused || this.now() > build.createdAt + urlLifeMs) return 'Request has expired';
    const files = readZip(zip);
    if (typeof files === 'string') return files;
    const told = /^# behaves (\{.*\})$/m.exec(files.get('main.py')?.toString() ?? '')?.[1];
    Object.assign(build, { files, uploadedAt: this.now(), behavior: told ? JSON.parse(told) : {} });
    return undefined;
  }

  /** Lets happen what has happened by now, in its order: builds end, and the one that became ready last serves, or was created last. */
  settle() {
    const due = [...this.builds.values()].filter((build) => build.ended === undefined && endOf(build) <= this.now());
    for (const build of due.sort((a, b) => endOf(a) - endOf(b))) {
      build.ended = build.canceledAt === undefined ? (build.behavior.ends ?? 'success') : 'cancelled';
      const app = this.apps.get(build.app);
      if (build.ended !== 'success' || !app?.builds.includes(build)) continue;
      const before = app.services.at(-1);
      const isLater = before && app.builds.indexOf(before.build) > app.builds.indexOf(build);
      if (isLater && this.quirks.servesLastCreated) continue;
      if (before) before.until = endOf(build);
      app.services.push({ build, from: endOf(build), until: never });
    }
  }

  /** What is shown as it was some time ago. @template T @param {number} ms @param {() => T} show @returns {T} */
  before(ms, show) {
    const { now } = this;
    this.now = () => now() - ms;
    try {
      return show();
    } finally {
      this.now = now;
    }
  }

  /** @param {Build} build */
  statusOf(build) {
    if (build.ended !== undefined && endOf(build) <= this.now()) return build.ended;
    return build.uploadedAt !== undefined && build.uploadedAt <= this.now() ? 'building' : 'pending';
  }

  /** @param {Build} build */
  changedAt(build) {
    const times = [build.createdAt, build.uploadedAt ?? never, build.ended === undefined ? never : endOf(build)];
    return Math.max(...times.filter((at) => at <= this.now()));
  }

  /** Those that are there. @param {App} app */
  buildsOf(app) {
    return app.builds.filter(({ createdAt }) => createdAt <= this.now());
  }

  /** @param {App} app @returns {Build | undefined} */
  live(app) {
    return app.services.at(-1)?.build;
  }

  /** What get app says. @param {App} app @returns {Build | undefined} */
  shownLive(app) {
    const { lagsMs = 0, flickers } = this.quirks;
    this.#looks += 1;
    const at = flickers && this.#looks % 2 === 0 ? this.now() : this.now() - lagsMs;
    return app.services.findLast(({ from }) => from <= at)?.build;
  }

  /** @param {App} app */
  statusOfApp(app) {
    if (app.status) return app.status;
    if (app.builds.some(({ ended, uploadedAt }) => !ended && uploadedAt)) return 'deploying';
    if (app.services.length === 0) return 'pending';
    return this.replicas(app).length > 0 ? 'active' : 'cold';
  }

  /** A call from outside wakes the app. @param {App} app */
  call(app) {
    const service = app.services.at(-1);
    if (!service) return { code: 503, id: '' };
    const now = this.now();
    const coolMs = Number(app.settings.cooldownPeriodSeconds) * 1_000;
    app.awake = { from: app.awake.until > now ? app.awake.from : now, until: now + startMs + coolMs };
    const { replicas = 'well', calls } = service.build.behavior;
    const code = replicas === 'well' && calls?.failing !== 1 ? 200 : replicas === 'well' ? (calls?.code ?? 500) : 503;
    const id = `own-${this.calls.length}`;
    this.calls.push({ app: app.name, build: service.build.id, at: now, code, id });
    return { code, id };
  }

  /** The replicas that are listed now. @param {App} app */
  replicas(app) {
    const [now, { pace = 1 }] = [this.now(), this.quirks];
    return app.services
      .filter(
        ({ build, from, until }) => from <= now && now < until + (build.behavior.lingersMs === undefined ? drainMs : 0),
      )
      .flatMap((service) =>
        replicasOf(service, app, now, pace).map((replica) => ({ ...replica, build: service.build.id })),
      );
  }

  /** The runs that have begun, the newest first. @param {App} app */
  runs(app) {
    const runs = app.services.flatMap((service) => callsOf(service, this.now()));
    const own = this.calls.filter((call) => call.app === app.name).map((call) => ({ ...call, pod: `${call.build}-0` }));
    const jobs = this.#jobs(app).map((job) => ({ ...job, pod: `${job.id}-pod`, isJob: true }));
    return [...runs, ...own, ...jobs].sort((a, b) => b.at - a.at);
  }

  /** Their containers, which are listed for as long as others that have ended. @param {App} app */
  jobContainers(app) {
    return this.#jobs(app).map(({ id, at }) => ({
      id: `${id}-pod`,
      restarts: 0,
      startedAt: at,
      isTerminating: false,
      build: '',
      state: this.now() < at + jobMs ? 'RUNNING' : 'SUCCEEDED',
    }));
  }

  /** @param {App} app */
  #jobs(app) {
    return this.jobs.filter((job) => job.app === app.name && job.at <= this.now() && this.now() < job.at + listedMs);
  }
}

/** @param {string} name @param {number} createdAt @returns {App} */
function newApp(name, createdAt) {
  return { name, createdAt, settings: {}, services: [], builds: [], awake: { from: 0, until: 0 } };
}

/** When a build ends, or ended. @param {Build} build */
function endOf({ canceledAt, uploadedAt, behavior }) {
  return canceledAt ?? (uploadedAt === undefined ? never : uploadedAt + (behavior.buildMs ?? 1_000));
}

/** @param {Record<string, unknown>} body */
function defined({ compute, provider, ...body }) {
  const known = Object.entries(body).filter(
    ([key, value]) => value !== undefined && (key in usual || texts.includes(key)),
  );
  const hardware = {
    ...(Array.isArray(compute) && { hardware: compute[0] }),
    ...(provider ? { hardwareProvider: provider } : {}),
  };
  return { ...Object.fromEntries(known), ...hardware, cerebriumVersion: body.cliVersion };
}

/** @param {Service} service @param {App} app @param {number} now @param {number} pace */
function replicasOf({ build, from, until }, app, now, pace) {
  const { replicas: kind = 'well', calls } = build.behavior;
  const kept = Number(app.settings.minReplicaCount);
  const isAwake = now >= app.awake.from && now < app.awake.until;
  const isCalled = isAwake || (calls !== undefined && now - from >= calls.everyMs);
  const number = kind === 'half' ? 2 : Math.max(kept, isCalled ? 1 : 0);
  const begun = kept > 0 || calls ? from : Math.max(from, app.awake.from);
  const age = (now - begun) * pace;
  const isTerminating = now >= until;
  const lives = Math.floor(age / lifeMs);
  /** @param {string} id @param {string} state @param {number} [restarts] */
  const replica = (id, state, restarts = 0) => ({
    id: `${build.id}-${id}`,
    state,
    restarts,
    isTerminating,
    startedAt: begun + (kind === 'crash' || kind === 'renamed' ? lives * lifeMs : 0),
  });
  const started = age < startMs ? 'PENDING' : 'RUNNING';
  return Array.from({ length: kind === 'unlisted' ? 0 : number }, (_, at) => {
    if (kind === 'waiting') return replica(`${at}`, 'PENDING');
    if (kind === 'crash') return replica(`${at}`, age % lifeMs < startMs ? 'PENDING' : 'RUNNING', lives);
    if (kind === 'renamed') return replica(`${at}-${lives}`, age % lifeMs < startMs ? 'PENDING' : 'RUNNING');
    if (kind === 'half' && at === 1 && age > 2 * lifeMs) return replica(`${at}`, 'PENDING');
    return replica(`${at}`, started, kind === 'restarts-once' && lives > 0 ? 1 : 0);
  });
}

/** @param {Service} service @param {number} now */
function callsOf({ build, from, until }, now) {
  const { replicas = 'well', calls, lingersMs = 0 } = build.behavior;
  if (!calls) return [];
  const { everyMs, failing = 0, code = 500 } = calls;
  const first = Math.max(0, Math.ceil((now - listedMs - from) / everyMs));
  const end = Math.min(now, until + lingersMs);
  const number = Math.max(0, Math.floor((end - from) / everyMs) - first);
  const pod = replicas === 'unlisted' ? 'gone' : '0';
  return Array.from({ length: number }, (_, index) => first + index).map((call) => {
    const at = from + (call + 1) * everyMs;
    const answered = failing > 0 && call % failing === failing - 1 ? code : 200;
    return { id: `${build.id}-call-${call}`, at, code: at > until ? 502 : answered, pod: `${build.id}-${pod}` };
  });
}
