import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { StrictPlatform } from '../support/strict-platform/index.js';
import { bytesOf, markOf } from './content.js';
import { Sandbox } from './sandbox.js';

/** @typedef {import('./types.ts').Plan} Plan @typedef {import('./types.ts').Step} Step */
/** @typedef {import('./types.ts').Command} Command @typedef {import('./types.ts').Moment} Moment */
/** @typedef {import('./types.ts').Ended} Ended @typedef {import('./types.ts').Outcome} Outcome */

/** A run that has not ended after this long never will. */
const longestMs = 60_000;
const month = 30 * 86_400;

/**
 * Carries out a plan against the built program, and gives what each step came to.
 * @param {Plan} plan
 * @param {{ program: string, keep?: boolean }} options
 * @returns {Promise<{ outcomes: Outcome[], folder: string, tokens: string[], log: import('../support/strict-platform/types.ts').Seen[][] }>}
 */
export async function perform(plan, { program, keep = false }) {
  const sandbox = new Sandbox();
  // Commands that run at the same time have different tokens of one user: so their requests can be told apart.
  const tokens = [makeToken(), makeToken()];
  const [token, ...otherTokens] = tokens;
  const regions = {
    [plan.region]: plan.volume.map(({ content, ...file }) => ({ ...file, bytes: bytesOf(content) })),
  };
  const platform = await new StrictPlatform({ ...plan.world, ...(token && { token }), otherTokens, regions }).start();
  const outcomes = [];
  const log = [];
  try {
    if (plan.diskKiB) sandbox.mount(plan.diskKiB);
    try {
      sandbox.write('work', plan.local);
    } catch {
      // The disk was too small for what was to be there.
      sandbox.enlarge();
      sandbox.write(
        'work',
        plan.local.filter(({ link }) => link === undefined),
      );
    }
    sandbox.write('outside', plan.outside);
    for (const step of plan.steps) {
      const firstSeen = platform.seen.length;
      if (step.isClean) sandbox.enlarge();
      outcomes.push(await performStep(plan, step, { sandbox, platform, program, tokens }));
      log.push(platform.seen.slice(firstSeen));
    }
  } finally {
    await platform.close();
    if (!keep) sandbox.remove();
  }
  return { outcomes, folder: sandbox.root, tokens, log };
}

/**
 * @typedef {{ sandbox: Sandbox, platform: StrictPlatform, program: string, tokens: string[] }} Stage
 * @param {Plan} plan @param {Step} step @param {Stage} stage @returns {Promise<Outcome>}
 */
async function performStep(plan, step, { sandbox, platform, program, tokens }) {
  const meddle = (/** @type {import('./types.ts').Meddling} */ meddling) => {
    if (meddling.do !== 'store') return sandbox.meddle(meddling);
    const bytes = bytesOf(meddling.content);
    const etag = `"${markOf(bytes).slice(0, 32)}-2"`;
    platform.store.volume(plan.region)?.set(meddling.path, { bytes, modified: Date.now(), etag });
  };
  for (const meddling of step.before ?? []) meddle(meddling);
  platform.script(step.faults);
  const state = () => stateOf(sandbox, platform, plan.region);
  const before = state();
  const [firstFinding, firstSeen] = [platform.findings.length, platform.seen.length];
  let meddled = false;
  /** @type {(() => void)[]} */
  const stops = [];
  /** @type {Started[]} */
  const started = [];
  for (const [index, command] of step.commands.entries()) {
    const begin = () => start(plan, command, tokens[index] ?? '', { sandbox, platform, program });
    const first = started[0];
    started.push(command.start && first ? startedLater(platform, command.start, first.ended, begin) : begin());
  }
  for (const [index, command] of step.commands.entries()) {
    const run = started[index];
    if (command.signal && run)
      stops.push(at(platform, command.signal.when, () => run.kill(command.signal?.name ?? 'SIGKILL')));
  }
  for (const meddling of step.meddling) {
    const act = () => {
      meddled = true;
      meddle(meddling);
    };
    stops.push(at(platform, meddling.when, act));
  }
  const ended = await Promise.all(started.map(({ ended }) => ended));
  for (const stop of stops) stop();
  const answered = performance.now() + longestMs;
  while (platform.busy > 0 && performance.now() < answered) await pause(5);
  const fired = platform.faults
    .filter((fault) => fault.fired)
    .map(({ point, what, fired = 0, status }) => ({ point, what, times: fired, ...(status ? { status } : {}) }));
  return {
    before,
    after: state(),
    ended,
    fired,
    meddled,
    asked: platform.seen.slice(firstSeen).map(({ point, by }) => ({ point, ...(by === undefined ? {} : { by }) })),
    archive: sandbox.read('work/out/out.zip'),
    violations: platform.findings.slice(firstFinding),
    signatures: [...platform.store.links.keys()],
  };
}

/**
 * @typedef {{ ended: Promise<Ended>, kill: (name: NodeJS.Signals) => void }} Started
 * A command that starts at a moment, or when the first one has ended before.
 * @param {StrictPlatform} platform @param {Moment} moment @param {Promise<unknown>} firstEnded @param {() => Started} begin
 * @returns {Started}
 */
function startedLater(platform, moment, firstEnded, begin) {
  /** @type {Started | undefined} */
  let run;
  const itsMoment = new Promise((resolve) => {
    const stop = at(platform, moment, () => resolve(undefined));
    void firstEnded.then(stop).then(resolve);
  });
  const ended = itsMoment.then(() => {
    run = begin();
    return run.ended;
  });
  return { ended, kill: (name) => run?.kill(name) };
}

/** @param {Plan} plan @param {Command} command @param {string} token @param {Omit<Stage, 'tokens'>} stage @returns {Started} */
function start(plan, { args, stdin, stdout, fileLimit, env }, token, { sandbox, platform, program }) {
  const words = [program, ...args];
  const [file, given] = fileLimit
    ? ['bash', ['-c', `ulimit -f ${fileLimit}; exec "$0" "$@"`, process.execPath, ...words]]
    : [process.execPath, words];
  const startedAt = Date.now();
  const child = spawn(file, given, {
    cwd: sandbox.at('work'),
    stdio: ['pipe', stdout === 'full' ? openSync('/dev/full', 'w') : 'pipe', 'pipe'],
    env: { ...environment(sandbox, platform.url, token), ...plan.env, ...env },
  });
  child.stdin?.on('error', () => {});
  child.stdin?.end(stdin ? bytesOf(stdin) : undefined);
  /** @type {Buffer[]} */
  const out = [];
  /** @type {Buffer[]} */
  const err = [];
  child.stdout?.on('data', (piece) => out.push(piece));
  child.stderr?.on('data', (piece) => err.push(piece));
  /** @type {{ sent?: string, isLate: boolean }} */
  const fate = { isLate: false };
  const limit = setTimeout(() => {
    fate.isLate = true;
    child.kill('SIGKILL');
  }, longestMs);
  /** @type {Promise<Ended>} */
  const ended = new Promise((resolve) => {
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      const texts = { stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8') };
      resolve({ args, code, signal, ...texts, ms: Date.now() - startedAt, ...fate });
    });
  });
  const kill = (/** @type {NodeJS.Signals} */ name) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    fate.sent = name;
    child.kill(name);
  };
  return { ended, kill };
}

/** @param {Sandbox} sandbox @param {string} url @param {string} token */
function environment(sandbox, url, token) {
  return {
    PATH: process.env.PATH,
    HOME: sandbox.at('home'),
    TMPDIR: sandbox.at('tmp'),
    LANG: 'C.UTF-8',
    NO_PROXY: '*',
    GANTRY_CONFIG_DIR: sandbox.at('config'),
    GANTRY_API_URL: url,
    GANTRY_INFERENCE_URL: url,
    GANTRY_LOGS_URL: url,
    GANTRY_TOKEN: token,
  };
}

/** Waits for a moment, then acts; the function it gives stops the waiting. @param {StrictPlatform} platform @param {Moment} moment @param {() => void} act */
function at(platform, { point, nth = 1, phase = 'arrived', delayMs }, act) {
  let timer = point === undefined ? setTimeout(act, delayMs) : undefined;
  let count = 0;
  /** @type {StrictPlatform['listeners'][number]} */
  const listener = (seen, seenPhase) => {
    if (seen.point !== point || seenPhase !== phase || ++count !== nth) return;
    if (delayMs === 0) act();
    else timer = setTimeout(act, delayMs);
  };
  if (point !== undefined) platform.listeners.push(listener);
  return () => {
    clearTimeout(timer);
    platform.listeners = platform.listeners.filter((one) => one !== listener);
  };
}

/** @param {Sandbox} sandbox @param {StrictPlatform} platform @param {string} region @returns {import('./types.ts').State} */
function stateOf(sandbox, { store }, region) {
  const volume = new Map();
  for (const [path, { bytes }] of store.volume(region) ?? [])
    volume.set(path, { mark: markOf(bytes), size: bytes.length });
  const builds = new Map([...store.builds].map(([id, { status, app, zip }]) => [id, { status, app, zip }]));
  return {
    disk: sandbox.look(),
    volume,
    builds,
    calls: store.calls.length,
    created: store.created.length,
    grants: new Map([...store.grants].map(([id, grants]) => [id, [...grants]])),
    secrets: { ...store.secrets },
  };
}

/** A token of the form that the platform gives out; nobody checks its signature here. */
function makeToken() {
  const encoded = (/** @type {object} */ part) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const claims = { project_id: 'p-chaos001', sub: 'p-chaos001', exp: Math.floor(Date.now() / 1000) + month };
  const signature = Buffer.from(`signature ${Math.random()} of a token`).toString('base64url');
  return `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(claims)}.${signature}`;
}
