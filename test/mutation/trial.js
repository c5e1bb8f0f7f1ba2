import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { applyEdit } from './operators.js';

/** @typedef {import('./operators.js').Mutation} Mutation @typedef {import('./coverage.js').TestRecord} TestRecord */
/** @typedef {'killed' | 'survived' | 'timeout' | 'invalid' | 'undecided'} Result */
/** @typedef {{ result: Result, by: string }} Verdict `by` is the first test that failed. */

/** Fast tests run first, and alone: how long a batch took when it was recorded, in ms. */
const batchMs = [3_000, 20_000, Number.POSITIVE_INFINITY];
/** A batch that takes this many times longer than when it was recorded hangs. */
const slowness = 6;
const minTimeoutMs = 120_000;

/** A copy of the tree in which one mutation at a time is tried. */
export class Trial {
  #root;

  /** @param {string} root */
  constructor(root) {
    this.#root = mkdtempSync(join(tmpdir(), 'gantry-mutation-'));
    const skipped = new Set(['.git', 'node_modules', 'coverage']);
    cpSync(root, this.#root, { recursive: true, filter: (path) => !skipped.has(relative(root, path)) });
    symlinkSync(join(root, 'node_modules'), join(this.#root, 'node_modules'));
  }

  /** Runs the tests with the mutation until one fails, or until they have taken so long.
   * @param {Mutation} mutation @param {TestRecord[]} tests @param {number} maxMs
   * @returns {Promise<Verdict & { ran: number }>} `ran`: the number of test files. */
  async run(mutation, tests, maxMs) {
    const chosen = testsWithin(tests, maxMs);
    const path = join(this.#root, mutation.file);
    const before = readFileSync(path, 'utf8');
    writeFileSync(path, applyEdit(before, mutation));
    try {
      let ran = 0;
      for (const batch of inBatches(chosen)) {
        ran += batch.length;
        const verdict = await this.#runTests(batch);
        if (verdict.result !== 'survived') return { ...verdict, ran };
      }
      // The check of types is a test as well, but a slow one.
      const types = await this.#start('tsc', ['-p', '.'], minTimeoutMs);
      if (types.code !== 0) return { result: 'invalid', by: 'tsc', ran };
      return { result: ran < tests.length || ran === 0 ? 'undecided' : 'survived', by: '', ran };
    } finally {
      writeFileSync(path, before);
    }
  }

  close() {
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** @param {TestRecord[]} batch @returns {Promise<Verdict>} */
  async #runTests(batch) {
    const files = batch.map(({ test }) => test);
    const recordedMs = batch.reduce((sum, { ms }) => sum + ms, 0);
    const words = ['run', '--config', 'test/mutation/trial.config.js', '--reporter=tap-flat', ...files];
    const env = { GANTRY_TRIAL: JSON.stringify(files) };
    const { code, output } = await this.#start('vitest', words, minTimeoutMs + recordedMs * slowness, env);
    if (code === null) return { result: 'timeout', by: files.join(' ') };
    if (code === 0) return { result: 'survived', by: '' };
    const [, by] = /^not ok \d+ - (.*?)( # .*)?$/m.exec(output) ?? [];
    // Without a test that failed, it was not the mutation.
    if (by === undefined) throw new Error(`the tests do not run: vitest ended with ${code}`);
    return { result: 'killed', by };
  }

  /** The exit code is null if it had to be ended. @param {string} command @param {string[]} words @param {number} timeoutMs @param {NodeJS.ProcessEnv} [env]
   * @returns {Promise<{ code: number | null, output: string }>} */
  #start(command, words, timeoutMs, env = {}) {
    return new Promise((resolve, reject) => {
      // Its own process group: a test in an endless loop ends only with its group.
      const child = spawn(join('node_modules/.bin', command), words, {
        cwd: this.#root,
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { ...process.env, ...env },
      });
      let output = '';
      let isOver = false;
      child.stdout.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
      const timer = setTimeout(() => {
        isOver = true;
        process.kill(-Number(child.pid), 'SIGKILL');
      }, timeoutMs);
      child.on('error', reject);
      child.on('close', (code) => {
        clearTimeout(timer);
        resolve({ code: isOver ? null : (code ?? 1), output });
      });
    });
  }
}

/** The first tests that take no longer than that together, at least one. @param {TestRecord[]} tests @param {number} maxMs */
function testsWithin(tests, maxMs) {
  let sum = 0;
  return tests.filter(({ ms }, index) => {
    sum += ms;
    return sum <= maxMs || index === 0;
  });
}

/** @param {TestRecord[]} tests @returns {TestRecord[][]} */
function inBatches(tests) {
  /** @type {TestRecord[][]} */
  const batches = [];
  let rest = tests;
  for (const limit of batchMs) {
    let sum = 0;
    const end = rest.findIndex(({ ms }, index) => {
      sum += ms;
      return sum > limit && index > 0;
    });
    const batch = end < 0 ? rest : rest.slice(0, end);
    if (batch.length > 0) batches.push(batch);
    rest = rest.slice(batch.length);
  }
  return batches;
}
