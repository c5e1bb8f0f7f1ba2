// What `gantry invoke` takes, start-up included, over curl making the same call; and how long after a line is new
// `gantry logs -f` has printed it, over a process that prints what comes by the same socket.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { cleanEnvironment, inTurns, isInstalled } from './measure.js';

/** @import { Bench } from './run.js' */
/** @import { Candidate, Run } from './measure.js' */
/** @import { Targets } from './report.js' */
/** @import { Addresses } from './app.js' */

const node = process.execPath;
const mebibyte = 2 ** 20;
const [downBytes, upBytes] = [256 * mebibyte, 64 * mebibyte];

/**
 * Node takes several times as long to start as curl to call: nothing of ours could keep a target over curl, so that has
 * none. Over a Node process that makes the same call, it may take what `apps list` may (start-up.js).
 * @type {Targets}
 */
const callTargets = {
  over: [{ over: 'curl' }, { over: 'a bare http.request', most: 1.5 }],
  /** As a copy of any size (transfer.js). */
  memory: 150,
};

/** Ours, since nothing sets one: a line is read, put in its place and cleaned; of a millisecond more nobody sees anything. */
const mostOverSocket = 2;

/** @param {Bench} bench */
export async function live(bench) {
  if (!isInstalled('curl')) bench.report.text('\nthere is no curl: not compared to it');
  const app = await startApp();
  try {
    await calls(bench, app);
    await newLines(bench, app);
  } finally {
    app.stop();
  }
}

/**
 * @param {Bench} bench
 * @param {App} app
 */
async function calls({ folder, quick, report }, app) {
  const [small, large] = [join(folder, 'small.json'), join(folder, 'large.bin')];
  writeFileSync(small, JSON.stringify({ prompt: 'a red fox' }));
  writeFileSync(large, '');
  truncateSync(large, upBytes);
  const cases = [
    { title: 'a small answer', fn: 'small', body: small, rounds: quick ? 1 : 15 },
    { title: `an answer of ${downBytes / mebibyte} MiB`, fn: 'large', body: small, rounds: quick ? 1 : 7 },
    { title: `a body of ${upBytes / mebibyte} MiB`, fn: 'small', body: large, rounds: quick ? 1 : 7 },
  ];
  for (const { title, fn, body, rounds } of cases) {
    report.begin(`call with ${title} over HTTP; ${rounds} rounds`);
    report.candidates(await inTurns(callers(app, fn, body), rounds), { 'gantry invoke': callTargets });
  }
}

/**
 * The answer goes where it costs nothing: whoever read it here would keep a processor busy.
 * @param {App} app
 * @param {string} fn
 * @param {string} body a file
 * @returns {Candidate[]}
 */
function callers({ addresses, env }, fn, body) {
  const url = `${addresses.calls}/v4/p-bench/web/${fn}`;
  const dropped = (/** @type {string[]} */ ...command) => ['sh', '-c', 'exec "$@" > /dev/null', 'sh', ...command];
  // -q: not the user's settings. Without Expect, since it would wait for permission to send.
  const curl = ['curl', '-q', '--fail', '--silent', '--request', 'POST', '--header', 'Expect:', '--upload-file', body];
  const gantry = [
    node,
    'bin/gantry.cjs',
    'invoke',
    'web',
    fn,
    ...(body.endsWith('.json') ? ['--data', `@${body}`] : ['--input', body]),
  ];
  return [
    ...(isInstalled('curl') ? [{ name: 'curl', command: dropped(...curl, url) }] : []),
    { name: 'a bare http.request', command: dropped(node, '-e', bareCall, url, body) },
    { name: 'gantry invoke', command: dropped(...gantry), env },
  ];
}

const bareCall = `
  const { createReadStream, statSync } = require('node:fs');
  const [url, file] = process.argv.slice(1);
  const options = { method: 'POST', headers: { 'content-length': statSync(file).size } };
  const call = require('node:http').request(url, options, (reply) => reply.pipe(process.stdout));
  createReadStream(file, { highWaterMark: 2 ** 18 }).pipe(call);
`;

/**
 * One line at a time, for one follower after the other: the others are idle.
 * @param {Bench} bench
 * @param {App} app
 */
async function newLines({ quick, report }, app) {
  const [lines, polls] = quick ? [1, 1] : [61, 8];
  report.begin(`a new line until it is printed; ${lines} lines by socket, ${polls} by polling`);
  const socket = `${app.addresses.logs}/ws-logs?appID=`;
  const logs = [node, 'bin/gantry.cjs', 'logs', '--follow'];
  const followers = [
    await follow(app, 'a bare WebSocket', 'bare', [node, '-e', bareSocket, `${socket}${idOf('bare')}`]),
    await follow(app, 'gantry logs -f', 'socket', [...logs, 'socket']),
  ];
  /** @type {Map<string, Run[]>} */
  const runs = new Map(followers.map(({ name }) => [name, []]));
  for (let line = 0; line < lines; line++) {
    for (const follower of line % 2 === 0 ? followers : followers.toReversed()) {
      await delay(restMs);
      runs.get(follower.name)?.push(await follower.lateness());
    }
  }
  for (const { stop } of followers) stop();
  // The socket does not know of streams: who asks for one is answered by polls.
  const polled = await follow(app, 'gantry logs -f, polling', 'polled', [...logs, 'polled', '--source', 'stdout']);
  /** @type {Run[]} */
  const found = [];
  for (let line = 0; line < polls; line++) {
    // A line may come at any moment between two looks.
    await delay(((line + 0.5) / polls) * pollMs);
    found.push(await polled.lateness());
  }
  polled.stop();
  report.candidates(runs.set(polled.name, found), {
    'gantry logs -f': { over: [{ over: 'a bare WebSocket', most: mostOverSocket }] },
    'gantry logs -f, polling': { over: [{ over: 'a bare WebSocket' }] },
  });
}

/** Between two lines, so that a line is never late because of the one before. */
const restMs = 20;
/** Between two looks at a log that goes on (log-source.ts). */
const pollMs = 2_000;

const bareSocket = `
  new (require('undici').WebSocket)(process.argv[1]).addEventListener('message', ({ data }) => {
    process.stdout.write(JSON.parse(data).log + '\\n');
  });
`;

/**
 * @param {App} app
 * @param {string} name as it is reported
 * @param {string} appName the app whose log it follows
 * @param {string[]} command
 */
async function follow(app, name, appName, [program = '', ...words]) {
  const opened = appName === 'polled' ? undefined : app.opened();
  const child = spawn(program, words, {
    env: { ...cleanEnvironment(), ...app.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let noted = '';
  child.stderr.on('data', (text) => {
    noted += text;
  });
  const stop = () => child.kill();
  process.once('exit', stop);
  const printed = createInterface(child.stdout);
  /** @returns {Promise<Run>} from when the line was new until it has come here */
  const lateness = async () => {
    const coming = once(printed, 'line', { signal: AbortSignal.timeout(patienceMs) }).catch(() => {
      throw new Error(`${name} did not print a new line: ${noted}`);
    });
    app.say(idOf(appName));
    const [line] = await coming;
    const said = BigInt(String(line).replace(/^said at /, ''));
    return { ms: Number(process.hrtime.bigint() - said) / 1e6, peak: undefined, cpu: undefined, files: 1 };
  };
  await opened;
  // What is loaded for the first line is there for all others.
  await lateness();
  return {
    name,
    lateness,
    stop() {
      process.off('exit', stop);
      stop();
    },
  };
}

/** Nothing takes so long but what is broken. */
const patienceMs = 20_000;

/** @param {string} appName */
function idOf(appName) {
  return `p-bench-${appName}`;
}

/** @typedef {Awaited<ReturnType<typeof startApp>>} App */

async function startApp() {
  const script = join(import.meta.dirname, 'app.js');
  const child = spawn(node, [script, String(downBytes)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const stop = () => child.kill();
  process.once('exit', stop);
  const [addresses] = /** @type {[Addresses]} */ (await once(child, 'message'));
  return {
    addresses,
    env: {
      GANTRY_INFERENCE_URL: addresses.calls,
      GANTRY_API_URL: addresses.logs,
      GANTRY_TOKEN: 'bench',
      GANTRY_PROJECT: 'p-bench',
    },
    /** The next socket is open. */
    opened: () => once(child, 'message', { signal: AbortSignal.timeout(patienceMs) }),
    /** @param {string} id the app that is to have a new line */
    say: (id) => child.send(id),
    stop() {
      process.off('exit', stop);
      stop();
    },
  };
}
