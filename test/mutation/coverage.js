import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { listFunctions, listSources, parseSource } from './source.js';

/** @typedef {import('./operators.js').Mutation} Mutation */
/** @typedef {{ test: string, ms: number, functions: string[] }} TestRecord functions are `file:offset` */
/** @typedef {{ hashes: Record<string, string>, tests: TestRecord[] }} Coverage */

/**
 * Which test files call which functions of `src/`, from one run of all tests in this process. The record is kept until
 * it is asked for again: a file that has changed since counts as called by all tests that called any part of it.
 * @param {string} root @param {{ renew: boolean }} options @returns {Coverage}
 */
export function readCoverage(root, { renew }) {
  const file = join(root, 'node_modules/.cache/gantry-mutation/coverage.json');
  if (renew || !existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(recordCoverage(root, dirname(file))));
  }
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** @param {string} root @param {string} cache @returns {Coverage} */
function recordCoverage(root, cache) {
  const folder = join(cache, 'tests');
  rmSync(folder, { recursive: true, force: true });
  const results = join(cache, 'results.json');
  const config = join('test', 'mutation', 'record.config.js');
  const options = ['run', '--config', config, '--reporter=dot', '--reporter=json', `--outputFile.json=${results}`];
  spawnSync('npx', ['vitest', ...options], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, GANTRY_RECORD: folder },
  });
  /** @type {{ testResults: { name: string, status: string }[] }} */
  const { testResults } = JSON.parse(readFileSync(results, 'utf8'));
  const passed = new Set(testResults.filter(({ status }) => status === 'passed').map(({ name }) => name));
  /** @type {TestRecord[]} */
  const records = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  return {
    hashes: Object.fromEntries(listSources(root).map((file) => [file, hash(join(root, file))])),
    // A test that fails without a mutation would seem to kill each one.
    tests: records.filter(({ test }) => passed.has(join(root, test))),
  };
}

/**
 * The test files that can see a mutation, the most likely and fastest first.
 * @param {string} root @param {Coverage} coverage @param {Mutation} mutation @returns {TestRecord[]}
 */
export function testsThatSee(root, { hashes, tests }, { file, start }) {
  const text = readFileSync(join(root, file), 'utf8');
  const within = listFunctions(parseSource(file, text)).filter((node) => node.start <= start && start < node.end);
  const innermost = within.at(-1);
  const isRecorded = hashes[file] === hash(join(root, file));
  const key = isRecorded && innermost ? `${file}:${innermost.start}` : `${file}:`;
  const seen = tests.filter(({ functions }) =>
    functions.some((id) => (key.endsWith(':') ? id.startsWith(key) : id === key)),
  );
  // A table without functions shows where it is imported.
  const found = seen.length > 0 || innermost ? seen : testsOfImporters(root, tests, file);
  const [name, folder] = [basename(file, '.ts'), dirname(file).replace(/^src/, 'test')];
  const rank = (/** @type {TestRecord} */ { test, ms }) =>
    test.endsWith(`/${name}.test.ts`) ? -1 : dirname(test) === folder ? ms / 10 : ms;
  return found.toSorted((one, other) => rank(one) - rank(other));
}

/** @param {string} root @param {TestRecord[]} tests @param {string} file */
function testsOfImporters(root, tests, file) {
  const importing = listSources(root).filter((other) =>
    [...readFileSync(join(root, other), 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g)].some(
      ([, path = '']) => join(dirname(other), path) === file,
    ),
  );
  return tests.filter(({ functions }) => importing.some((other) => functions.some((id) => id.startsWith(`${other}:`))));
}

/** @param {string} path */
function hash(path) {
  return createHash('sha1').update(readFileSync(path)).digest('base64');
}
