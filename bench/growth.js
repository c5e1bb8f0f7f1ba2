// What a million files cost over a hundred thousand: time for each of them, and memory.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from './candidates.js';
import { inTurns } from './measure.js';
import { makeNumberedTree } from './numbered-tree.js';

/** @import { TreeSizes } from './listing.js' */
/** @import { Bench } from './run.js' */

/** MB, however many files there are. */
const memory = 300;
/** Time for one file of many, over that for one of few. */
const most = 1.1;

/** @param {Bench} bench */
export async function growth(bench) {
  const sizes = bench.quick ? [200, 2_000] : [100_000, 1_000_000];
  const server = await startServer('listing.js', sizes);
  try {
    for (const each of bench.quick ? quickCases : cases) await measure(bench, server.url, sizes, each);
  } finally {
    server.stop();
    rmSync(join(bench.folder, 'growth'), { recursive: true, force: true });
  }
}

/**
 * @typedef {object} Case
 * @property {string} title
 * @property {(tree: string) => string[]} words the command line, for the path of a tree below the root of the volume
 * @property {'deep' | 'flat'} [here] the shape of a tree that is made on disk, at the same path below the working folder
 */

/** @type {Case[]} */
const cases = [
  ...['deep', 'flat', 'mixed'].flatMap((shape) => [
    {
      title: `volumes usage, ${shape}`,
      words: (/** @type {string} */ files) => ['volumes', 'usage', `/${shape}-${files}`],
    },
    { title: `ls -R, ${shape}`, words: (/** @type {string} */ files) => ['ls', '-R', `/${shape}-${files}`] },
  ]),
  { title: 'ls -R --json, deep', words: (files) => ['ls', '-R', '--json', `/deep-${files}`] },
  { title: 'ls --json, flat', words: (files) => ['ls', '--json', `/flat-${files}`] },
  { title: 'rm -r, deep', words: (files) => ['rm', '-r', `/deep-${files}`, '--confirm', `/deep-${files}`] },
  .../** @type {const} */ (['deep', 'flat']).flatMap((here) => [
    sync(here, 'to a volume, equal', (files) => [`${here}-${files}`, `:/${here}-${files}`]),
    sync(here, 'from a volume, equal', (files) => [`:/${here}-${files}`, `${here}-${files}`]),
  ]),
  sync('flat', 'from a volume in no order, equal', (files) => [`:/mixed-${files}`, `flat-${files}`]),
  sync('deep', 'to a volume, all new', (files) => ['--json', `deep-${files}`, ':/none']),
  sync('deep', 'from a volume, all new', (files) => ['--json', `:/deep-${files}`, 'none']),
  sync('deep', 'to a volume, all to be deleted', (files) => ['--json', '--delete', 'none', `:/deep-${files}`]),
  { title: 'cp --dry-run, deep', words: (files) => ['cp', '--dry-run', `deep-${files}`, ':/none'], here: 'deep' },
];

/** Each command once. */
const quickCases = cases.filter(({ title }) => title.endsWith(', deep'));

/**
 * @param {'deep' | 'flat'} here
 * @param {string} title
 * @param {(files: string) => string[]} words
 * @returns {Case}
 */
function sync(here, title, words) {
  return {
    title: `sync --dry-run ${title}, ${here}`,
    words: (files) => ['sync', '--dry-run', ...words(files)],
    here,
  };
}

/**
 * @param {Bench} bench
 * @param {string} url
 * @param {TreeSizes} sizes
 * @param {Case} measured
 */
async function measure({ folder, quick, report }, url, sizes, { title, words, here }) {
  const cwd = join(folder, 'growth');
  mkdirSync(join(cwd, 'none'), { recursive: true });
  for (const files of here ? sizes : []) {
    const tree = join(cwd, `${here}-${files}`);
    if (!existsSync(tree)) makeNumberedTree(tree, files, here ?? 'deep');
  }
  const env = { GANTRY_API_URL: url, GANTRY_TOKEN: 'bench', GANTRY_PROJECT: 'p-bench' };
  const command = (/** @type {number} */ files) => [process.execPath, program, ...words(String(files))];
  const named = sizes.map((files) => ({ name: `${files} files`, command: command(files), cwd, env, files }));
  report.begin(title);
  const [few = '', many = ''] = named.map(({ name }) => name);
  report.candidates(await inTurns(named, quick ? 1 : 3), { [many]: { over: [{ over: few, most }], memory } });
}

const program = join(process.cwd(), 'bin/gantry.cjs');
