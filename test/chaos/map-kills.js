import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Draw } from './draw.js';
import { OwnServer } from './own-server.js';
import { start } from './start.js';

const concurrency = 16;
const project = 'p-12345678';

/**
 * Kills a map of the built program at random calls, continues it until it ends, and compares the results with what the
 * function has seen. Gives what is wrong.
 * @param {{ count: number, inputs?: number, seed: number, program: string, write?: (text: string) => void }} options
 */
export async function killMaps({ count: cuts, inputs = 10_000, seed, program, write = () => {} }) {
  const draw = new Draw(seed);
  const app = await new FailingApp(draw).start();
  const folder = mkdtempSync(join(tmpdir(), 'gantry-map-kills-'));
  /** @type {string[]} */
  const findings = [];
  try {
    writeFileSync(join(folder, 'in.jsonl'), Array.from({ length: inputs }, (_, n) => `{"n": ${n}}\n`).join(''));
    const environment = {
      PATH: process.env.PATH,
      HOME: folder,
      GANTRY_CONFIG_DIR: join(folder, 'settings'),
      ...app.env,
    };
    const run = async (/** @type {string[]} */ flags, /** @type {number} */ killAt, /** @type {number} */ number) => {
      const words = ['map', 'web', 'in.jsonl', '-o', 'out.jsonl', '--concurrency', String(concurrency), ...flags];
      const env = { ...environment, GANTRY_TOKEN: tokenOf(number) };
      const { child, ended } = start([program, ...words], { cwd: folder, env });
      app.at(killAt, () => child.kill('SIGKILL'));
      return ended;
    };
    let commands = 0;
    let kills = 0;
    let announced = 0;
    let twice = 0;
    const untilItEnds = async (
      /** @type {string[]} */ flags,
      /** @type {number} */ calls,
      /** @type {number} */ most,
    ) => {
      // Each command makes a part of the calls, so that all kills meet one that works.
      const share = Math.floor(calls / (most + 1));
      /** @type {Map<number, number>} */
      const announcements = new Map();
      for (let killed = 0; ; killed++, kills++) {
        const killAt = killed < most ? draw.int(1, 2 * share) : Number.POSITIVE_INFINITY;
        const number = commands++;
        const { code, stderr } = await run(flags, killAt, number);
        const [, count = '0'] = /at most (\d+) calls? of these/.exec(stderr) ?? [];
        announcements.set(number, Number(count));
        if (code === null) continue;
        const expected = app.failed > 0 ? 13 : 0;
        if (code !== expected) findings.push(`it ended with ${code} instead of ${expected}\n${stderr}`);
        break;
      }
      // Only now: calls of a command that was killed may arrive during the next one.
      for (const [number, count] of announcements) {
        const again = app.madeAgain(number);
        if (again > count) findings.push(`command ${number}: ${again} calls were made twice, ${count} were announced`);
        announced += count;
        twice += again;
      }
      findings.push(...compare(readFileSync(join(folder, 'out.jsonl'), 'utf8'), inputs, app));
    };
    await untilItEnds([], inputs, cuts);
    const { failed } = app;
    app.repair();
    await untilItEnds(['--retry-failed'], failed, Math.ceil(cuts / 4));
    write(`${kills} kills in ${inputs} inputs: ${twice} calls were made twice, at most ${announced} were announced`);
  } finally {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return findings;
}

/** @param {string} text @param {number} inputs @param {FailingApp} app */
function compare(text, inputs, app) {
  /** @type {string[]} */
  const findings = [];
  const lines = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const counts = new Array(inputs).fill(0);
  for (const { index, status, result } of lines) {
    counts[index]++;
    const expected = app.isBad(index) ? 'failed' : 'succeeded';
    if (status !== expected || (status === 'succeeded' && result.n !== index)) {
      findings.push(`input ${index} has ${status} ${JSON.stringify(result)}`);
    }
  }
  const wrong = counts.flatMap((count, index) => (count === 1 ? [] : [`${index}: ${count}`]));
  if (wrong.length > 0) findings.push(`inputs without exactly one line: ${wrong.join(', ')}`);
  const never = counts.flatMap((_, index) => (app.ran.has(index) ? [] : [index]));
  if (never.length > 0) findings.push(`inputs that the function never saw: ${never.join(', ')}`);
  return findings;
}

/** An app that refuses some calls, fails for some inputs, and counts what it ran. */
class FailingApp extends OwnServer {
  /** The commands that it ran for, by input: one for each call. @type {Map<number, number[]>} */
  ran = new Map();
  failed = 0;
  #arrived = 0;
  #killAt = Number.POSITIVE_INFINITY;
  #kill = () => {};
  #isRepaired = false;

  /** @param {Draw} draw */
  constructor(draw) {
    super(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (request.method === 'GET') return say(response, 200, { id: `${project}-web`, name: 'web', runtime: 'cortex' });
      await this.#answer(JSON.parse(body).n, commandOf(request), response);
    });
    this.draw = draw;
  }

  get env() {
    const { url } = this;
    return { GANTRY_API_URL: url, GANTRY_INFERENCE_URL: url, GANTRY_PROJECT: project };
  }

  /** Kills at the call of this number, counted from now. @param {number} number @param {() => void} kill */
  at(number, kill) {
    this.#killAt = this.#arrived + number;
    this.#kill = kill;
  }

  /** How many calls of a command were made before, by it or by an earlier one. @param {number} command */
  madeAgain(command) {
    const again = [...this.ran.values()].map((commands) => {
      const made = commands.filter((each) => each <= command);
      return made.filter((each, at) => each === command && at > 0).length;
    });
    return again.reduce((sum, calls) => sum + calls, 0);
  }

  /** @param {number} n */
  isBad(n) {
    return !this.#isRepaired && n % 17 === 3;
  }

  /** From now on no input fails, and only those that failed are to be called. */
  repair() {
    this.#isRepaired = true;
    this.failed = 0;
    for (const n of this.ran.keys()) if (n % 17 === 3) this.ran.delete(n);
  }

  /** @param {number} n @param {number} command @param {import('node:http').ServerResponse} response */
  async #answer(n, command, response) {
    if (++this.#arrived === this.#killAt) this.#kill();
    if (this.draw.chance(0.02)) return say(response, this.draw.pick([429, 503]), { message: 'full' });
    this.ran.set(
      n,
      [...(this.ran.get(n) ?? []), command].sort((one, other) => one - other),
    );
    await sleep(this.draw.int(0, 3));
    if (!this.isBad(n)) return say(response, 200, { run_id: `r-${n}`, run_time_ms: 1, result: { n } });
    this.failed++;
    if (this.draw.chance(0.5)) say(response, 500, { detail: `bad input ${n}` });
    else response.destroy();
  }
}

/** The token tells which command makes a call. @param {number} command */
const tokenOf = (command) => `token-of-command-${command}`;

/** @param {import('node:http').IncomingMessage} request */
function commandOf({ headers: { authorization = '' } }) {
  return Number(/token-of-command-(\d+)$/.exec(authorization)?.[1]);
}

/** @param {import('node:http').ServerResponse} response @param {number} status @param {unknown} body */
function say(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
