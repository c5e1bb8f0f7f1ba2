import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Draw } from '../chaos/draw.js';

const help = `Change random lines of src/, one change at a time, and see whether a test fails.

USAGE
  npm run mutation -- [flags]

FLAGS
  --lines <n>     how many lines to draw (default 100, about 250 mutants)
  --seed <n>      the same seed draws the same lines (default: now)
  --only <regex>  only files whose path matches
  --jobs <n>      mutants at a time (default 2)
`;

const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now()) },
    only: { type: 'string', default: '^src/(operations|transfer|project|api|disk)/' },
    jobs: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(help);
else process.exitCode = tryMutants();

function tryMutants() {
  const drawn = drawLines(Number(values.seed), Number(values.lines), new RegExp(values.only));
  process.stdout.write(`${drawn.length} lines, seed ${values.seed}\n`);
  const { status } = spawnSync(
    join('test/mutation/node_modules/.bin', 'stryker'),
    ['run', 'test/mutation/stryker.config.json', '--concurrency', values.jobs, '--mutate', drawn.join(',')],
    { stdio: 'inherit' },
  );
  return status ?? 1;
}

/** Lines, not files: otherwise a line of a short file would be drawn more often than one of a long file.
 * @param {number} seed @param {number} count @param {RegExp} only @returns {string[]} */
function drawLines(seed, count, only) {
  const sources = execFileSync('git', ['ls-files', 'src/*.ts', ':!src/output/chart-page'], { encoding: 'utf8' });
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
