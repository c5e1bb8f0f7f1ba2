// What `gantry deploy --dry-run -o` takes, start-up included, over the usual tools for the same files.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTurns, isInstalled } from './measure.js';
import { makeModel, makeTree, makeTreeWithExcluded } from './trees.js';

/** @import { Bench } from './run.js' */
/** @import { Candidate } from './measure.js' */

const megabyte = 1e6;
const name = 'gantry deploy --dry-run -o';

/** @param {Bench} bench */
export async function packing(bench) {
  for (const tool of ['zip', 'bsdtar'].filter((tool) => !isInstalled(tool))) {
    bench.report.text(`\n${tool} is not installed: not compared to it`);
  }
  await mixed(bench);
  await again(bench);
  await small(bench);
  await excluded(bench);
  await model(bench);
  await manyModels(bench);
}

/** @param {Bench} bench */
async function mixed({ folder, quick, report }) {
  const tree = { files: quick ? 50 : 5_000, bytes: (quick ? 2 : 200) * megabyte, noisy: 0.2 };
  const app = join(folder, 'mixed');
  makeTree(app, tree);
  const rounds = quick ? 1 : 7;
  report.begin(`${tree.files} files, ${tree.bytes / megabyte} MB, a fifth of it incompressible; ${rounds} rounds`);
  report.candidates(await inTurns([gantry(app), ...deflating(app)], rounds), {
    [name]: { over: [{ over: 'zip', most: 0.6 }, { over: 'bsdtar' }], memory: 200 },
  });
  rmSync(app, { recursive: true });
}

/** A second archive with one change, over the first one, which fills the cache. @param {Bench} bench */
async function again({ folder, quick, report }) {
  const tree = { files: quick ? 500 : 5_000, bytes: (quick ? 20 : 200) * megabyte, noisy: 0.2 };
  const app = join(folder, 'again');
  makeTree(app, tree);
  const rounds = quick ? 3 : 7;
  const [empty, filled] = [join(folder, 'empty'), join(folder, 'filled')];
  const command = gantry(app).command.filter((word) => word !== '--repack');
  let changes = 0;
  const first = {
    ...gantry(app),
    command,
    name: 'gantry deploy --dry-run -o, the first time',
    env: { GANTRY_CONFIG_DIR: empty },
    prepare: () => rmSync(empty, { recursive: true, force: true }),
  };
  const second = {
    ...first,
    name: 'gantry deploy --dry-run -o, one change',
    env: { GANTRY_CONFIG_DIR: filled },
    prepare: () => writeFileSync(join(app, 'changed.txt'), `change ${changes++}`),
  };
  report.begin(`${tree.files} files, ${tree.bytes / megabyte} MB, packed again with one change; ${rounds} rounds`);
  report.candidates(await inTurns([first, second], rounds), {
    [second.name]: { over: [{ over: first.name, most: 0.3 }], memory: 200 },
  });
  for (const path of [app, empty, filled]) rmSync(path, { recursive: true, force: true });
}

/** @param {Bench} bench */
async function small({ folder, quick, report }) {
  const tree = { files: quick ? 500 : 50_000, bytes: (quick ? 0.5 : 50) * megabyte };
  const app = join(folder, 'small');
  makeTree(app, tree);
  const rounds = quick ? 1 : 7;
  report.begin(`${tree.files} small files, ${tree.bytes / megabyte} MB; ${rounds} rounds`);
  report.candidates(await inTurns([gantry(app), ...deflating(app)], rounds), {
    [name]: { over: [{ over: 'zip', most: 0.8 }, { over: 'bsdtar' }], memory: 200 },
  });
  rmSync(app, { recursive: true });
}

/** @param {Bench} bench */
async function excluded({ folder, quick, report }) {
  const tree = { files: quick ? 50 : 5_000, bytes: (quick ? 0.005 : 0.5) * megabyte };
  const surplus = quick ? 950 : 95_000;
  const [all, kept] = [join(folder, 'all'), join(folder, 'kept')];
  makeTreeWithExcluded(all, tree, surplus);
  makeTree(kept, tree);
  const rounds = quick ? 1 : 15;
  report.begin(`${tree.files} files among ${surplus} in node_modules and .git; ${rounds} rounds`);
  const alone = 'gantry deploy --dry-run -o, those alone';
  report.candidates(await inTurns([{ ...gantry(kept), name: alone }, gantry(all)], rounds), {
    [name]: { over: [{ over: alone, most: 1.5 }], memory: 200 },
  });
  for (const app of [all, kept]) rmSync(app, { recursive: true });
}

/** @param {Bench} bench */
async function model({ folder, quick, report }) {
  const bytes = (quick ? 15 : 1_500) * megabyte;
  const app = join(folder, 'model');
  makeModel(app, bytes);
  const rounds = quick ? 1 : 9;
  report.begin(`one incompressible file of ${bytes / megabyte} MB; ${rounds} rounds`);
  report.candidates(await inTurns([gantry(app), ...storing(app)], rounds), {
    [name]: { over: [{ over: 'bsdtar, storing', most: 1.2 }, { over: 'zip, storing' }], memory: 150 },
  });
  rmSync(app, { recursive: true });
}

/** Too long for many rounds, and only its memory is asked for. @param {Bench} bench */
async function manyModels({ folder, quick, report }) {
  const tree = { files: quick ? 3 : 300, bytes: (quick ? 15 : 1_500) * megabyte, noisy: 0.5 };
  const app = join(folder, 'large');
  makeTree(app, tree);
  report.begin(`${tree.files} large files, ${tree.bytes / megabyte} MB, half of it incompressible; 1 round`);
  report.candidates(await inTurns([gantry(app)], 1), { [name]: { memory: 150 } });
  rmSync(app, { recursive: true });
}

/**
 * @param {string} cwd
 * @returns {Candidate}
 */
function gantry(cwd) {
  const output = `${cwd}.gantry.zip`;
  return {
    name,
    command: [process.execPath, join(process.cwd(), 'bin/gantry.cjs'), 'deploy', '--dry-run', '--repack', '-o', output],
    cwd,
    output,
  };
}

/** @param {string} cwd */
function deflating(cwd) {
  return rivals(cwd, {
    zip: (output) => ['zip', '-r', '-q', output, '.'],
    bsdtar: (output) => ['bsdtar', '-a', '-cf', output, '.'],
  });
}

/** @param {string} cwd */
function storing(cwd) {
  return rivals(cwd, {
    'bsdtar, storing': (output) => ['bsdtar', '-a', '--options', 'zip:compression=store', '-cf', output, '.'],
    'zip, storing': (output) => ['zip', '-0', '-r', '-q', output, '.'],
  });
}

/**
 * Those that are installed.
 * @param {string} cwd
 * @param {Record<string, (output: string) => string[]>} commands by name
 * @returns {Candidate[]}
 */
function rivals(cwd, commands) {
  return Object.entries(commands).flatMap(([name, words]) => {
    const output = `${cwd}.${name.replace(/\W+/g, '-')}.zip`;
    const command = words(output);
    return isInstalled(command[0] ?? '') ? [{ name, command, cwd, output }] : [];
  });
}
