import { execFileSync, execSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Draw } from '../chaos/draw.js';
import { partOf, testsNear } from './areas.js';
import { summarize } from './summary.js';

const help = `Change random lines of src/, one change at a time, and see whether a test near them fails.

USAGE
  npm run mutation -- [flags]
  npm run mutation -- [--tests <file>...] <file>:<line>...    these lines, or src/a.ts:20-30, anew each time

FLAGS
  --lines <n>     how many lines to draw (default 100, about 150 mutants)
  --seed <n>      the same seed draws the same lines of the same src/ (default: now), and goes on with the parts left
  --only <regex>  only files whose path matches
  --jobs <n>      parts at a time (default 2)
  --tests <file>  tests to try with, instead of those near the lines; may be repeated
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    lines: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now()) },
    only: {
      type: 'string',
      default: '^src/(app|calls|causes|deploys|insight|local|platform|storage|team|kernel/disk)/',
    },
    jobs: { type: 'string', default: '2' },
    tests: { type: 'string', multiple: true },
    help: { type: 'boolean', default: false },
  },
});
const stryker = 'test/mutation/node_modules/.bin/stryker';
const isNamed = positionals.length > 0;
const results = join('node_modules/.cache/mutation-results', isNamed ? 'named' : values.seed);
if (values.help) process.stdout.write(help);
else await tryMutants();

async function tryMutants() {
  if (!existsSync(stryker)) execSync('npm ci --prefix test/mutation --silent', { stdio: 'inherit' });
  const lines = isNamed
    ? positionals.map(toRange)
    : drawLines(Number(values.seed), Number(values.lines), new RegExp(values.only));
  if (isNamed) rmSync(results, { recursive: true, force: true });
  const source = isNamed ? 'named' : `seed ${values.seed}`;
  process.stdout.write(`${lines.length} lines, ${source}; the results are in ${results}\n`);
  const parts = [...byPart(lines)].sort(([, a], [, b]) => b.length - a.length);
  const waiting = [...parts];
  const job = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await tryPart(...next);
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, job));
  const names = parts.map(([part]) => part);
  process.stdout.write(summarize(results, names));
}

/** StrykerJS takes a file, or a file with its first and its last line. @param {string} place */
function toRange(place) {
  return place.replace(/:(\d+)$/, ':$1-$1');
}

/** @param {string[]} lines */
function byPart(lines) {
  /** @type {Map<string, string[]>} */
  const parts = new Map();
  for (const line of lines) parts.set(partOf(line), [...(parts.get(partOf(line)) ?? []), line]);
  return parts;
}

/** A run of its own: what another part's tests cost is not paid, and what is known stays if the rest is stopped.
 * @param {string} part @param {string[]} lines */
async function tryPart(part, lines) {
  const folder = join(results, part);
  const report = join(folder, 'report.json');
  if (existsSync(report)) return;
  mkdirSync(folder, { recursive: true });
  const base = JSON.parse(readFileSync('test/mutation/stryker.config.json', 'utf8'));
  const config = join(folder, 'config.json');
  // Not below node_modules/: the runner's own set-up would then be loaded once, and count for one file of tests only.
  const tempDirName = mkdtempSync(join(tmpdir(), 'gantry-mutation-'));
  const outputs = { eventReporter: { baseDir: join(folder, 'events') }, jsonReporter: { fileName: report } };
  const files = values.tests ?? testsNear(lines);
  writeFileSync(config, JSON.stringify({ ...base, ...outputs, tempDirName, mutate: lines, concurrency: 1 }));
  process.stdout.write(`${part}: ${lines.length} lines, ${files.length} files of tests\n`);
  const running = spawn(stryker, ['run', config], {
    stdio: 'pipe',
    env: {
      ...process.env,
      MUTATION_TESTS: files.join(','),
      MUTATION_SOURCES: [...new Set(lines.map((line) => line.replace(/:.*/, '')))].join(','),
    },
  });
  let output = '';
  for (const stream of [running.stdout, running.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve) => running.on('close', resolve));
  rmSync(tempDirName, { recursive: true, force: true });
  writeFileSync(join(folder, 'output.txt'), output);
  process.stdout.write(`${part}: ${code === 0 ? 'done' : `failed, see ${folder}/output.txt`}\n`);
  if (code !== 0) process.exitCode = 1;
}

/** Lines, not files: otherwise a line of a short file would be drawn more often than one of a long file.
 * @param {number} seed @param {number} count @param {RegExp} only @returns {string[]} */
function drawLines(seed, count, only) {
  const sources = execFileSync('git', ['ls-files', 'src/*.ts', ':!src/kernel/output/chart-page'], { encoding: 'utf8' });
  const lines = sources
    .split('\n')
    .filter((file) => file && only.test(file))
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((text, index) => (hasCode(text) ? [`${file}:${index + 1}-${index + 1}`] : [])),
    );
  const draw = new Draw(seed);
  return Array.from(
    { length: Math.min(count, lines.length) },
    () => lines.splice(draw.int(0, lines.length - 1), 1)[0] ?? '',
  );
}

/** @param {string} text */
function hasCode(text) {
  return !/^\s*(?:$|\/\/|\/?\*|import\b|export (?:\*|\{|type|interface)|[})\];,]+$)/.test(text);
}
