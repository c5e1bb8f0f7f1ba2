import { parseArgs } from 'node:util';
import { Draw } from '../chaos/draw.js';
import { readCoverage, testsThatSee } from './coverage.js';
import { applyEdit, listMutations } from './operators.js';
import { listSources, readSource } from './source.js';
import { Trial } from './trial.js';

const help = `Change one random line of src/ at a time, and see whether a test fails.

USAGE
  npm run mutation -- [flags]

FLAGS
  --count <n>     how many mutations (default 150)
  --seed <n>      the same seed draws the same mutations (default: now)
  --only <regex>  only files whose path matches
  --jobs <n>      mutations at a time (default 2)
  --seconds <n>   run only tests that take this long together; what survives them is undecided (default: all)
  --record        record again which tests call which functions (a run of all tests)
  --list          only print the mutations

A survivor is either a test that is missing, or a change that no user can observe.
Left out: workers and browser code (.mjs files and src/output/chart-page).
Undecided: not all tests ran, or only end-to-end tests call it.
`;

/** @typedef {import('./operators.js').Mutation} Mutation @typedef {import('./trial.js').Result} Result */

const root = process.cwd();
process.exitCode = await main();

async function main() {
  const { values } = parseArgs({
    options: {
      count: { type: 'string', default: '150' },
      seed: { type: 'string', default: String(Date.now()) },
      only: { type: 'string', default: '' },
      jobs: { type: 'string', default: '2' },
      seconds: { type: 'string', default: 'Infinity' },
      record: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    write(help);
    return 0;
  }
  const mutations = drawMutations(Number(values.seed), Number(values.count), new RegExp(values.only));
  write(`${mutations.length} mutations, seed ${values.seed}`);
  if (values.list) {
    for (const mutation of mutations) write(describe(mutation));
    return 0;
  }
  const results = await tryMutations(mutations, {
    jobs: Number(values.jobs),
    maxMs: Number(values.seconds) * 1000,
    renew: values.record,
  });
  return report(results);
}

/** Draws lines first: otherwise long lines would have most of the mutations.
 * @param {number} seed @param {number} count @param {RegExp} only @returns {Mutation[]} */
function drawMutations(seed, count, only) {
  /** @type {Map<string, Mutation[]>} */
  const byLine = new Map();
  for (const file of listSources(root).filter((path) => only.test(path) && !path.includes('chart-page'))) {
    for (const mutation of listMutations(readSource(root, file))) {
      const key = `${file}:${mutation.line}`;
      byLine.set(key, [...(byLine.get(key) ?? []), mutation]);
    }
  }
  const draw = new Draw(seed);
  const lines = [...byLine.values()];
  /** @type {Mutation[]} */
  const drawn = [];
  while (drawn.length < count && lines.length > 0) {
    const [mutations] = lines.splice(draw.int(0, lines.length - 1), 1);
    if (mutations) drawn.push(draw.pick(mutations));
  }
  return drawn;
}

/** @param {Mutation[]} mutations @param {{ jobs: number, maxMs: number, renew: boolean }} options */
async function tryMutations(mutations, { jobs, maxMs, renew }) {
  const coverage = readCoverage(root, { renew });
  const waiting = [...mutations];
  /** @type {{ mutation: Mutation, result: Result }[]} */
  const results = [];
  const work = async () => {
    const trial = new Trial(root);
    try {
      for (let mutation = waiting.shift(); mutation; mutation = waiting.shift()) {
        const tests = testsThatSee(root, coverage, mutation);
        const { result, by, ran } = await trial.run(mutation, tests, maxMs);
        results.push({ mutation, result });
        const files = `${ran} of ${tests.length} test files`;
        write(`${results.length}/${mutations.length} ${result} (${files}) ${describe(mutation)}`);
        if (by) write(`    ${by}`);
      }
    } finally {
      trial.close();
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return results;
}

/** @param {{ mutation: Mutation, result: Result }[]} results */
function report(results) {
  const having = (/** @type {Result} */ wanted) => results.filter(({ result }) => result === wanted);
  const survived = [...having('survived'), ...having('undecided')];
  write('');
  for (const { mutation, result } of survived) write(`${result} ${describe(mutation)}`);
  const counts = (/** @type {Result[]} */ ...names) => names.map((name) => `${having(name).length} ${name}`).join(', ');
  write(`${results.length} mutations: ${counts('killed', 'timeout', 'invalid', 'survived', 'undecided')}`);
  write(`(a timeout counts as killed; invalid ones are found by the check of types)`);
  return survived.length > 0 ? 1 : 0;
}

/** `src/a.ts:12 flip a comparison: "if (a < b)" becomes "if (a <= b)"`. @param {Mutation} mutation */
function describe(mutation) {
  const { file, line, operator } = mutation;
  const { text } = readSource(root, file);
  const lineOf = (/** @type {string} */ changed) => (changed.split('\n')[line - 1] ?? '').trim();
  return `${file}:${line} ${operator}\n    - ${lineOf(text)}\n    + ${lineOf(applyEdit(text, mutation))}`;
}

/** @param {string} text */
function write(text) {
  process.stdout.write(`${text}\n`);
}
