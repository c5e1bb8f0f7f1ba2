// npm run smoke [-- --program PATH] [-- --node 20.19.0,22,24,26]: installs the package as a user does, and tries it.
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { nodeBinary, npm, ownTarget } from './node-binary.js';
import { removeFolder, smoke } from './smoke-list.js';

const { values } = parseArgs({ options: { program: { type: 'string' }, node: { type: 'string' } } });
const isRoot = process.getuid?.() === 0;
/** root is not an ordinary user: the program is then started as this one, which is called nobody. */
const ordinary = isRoot ? 65_534 : undefined;
const total = { passed: 0, failed: 0 };

const place = mkdtempSync(join(tmpdir(), 'gantry-smoke-'));
try {
  if (values.program) {
    await tryProgram('program', [resolve(values.program)], withoutNode(join(place, 'path')));
  } else {
    const tarball = packTarball();
    for (const version of values.node?.split(',') ?? [undefined]) await tryTarball(tarball, version);
  }
} finally {
  removeFolder(place);
}
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed > 0 ? 1 : 0;

function packTarball() {
  const [{ filename }] = JSON.parse(npm('pack', '--json', '--ignore-scripts', '--pack-destination', place));
  return join(place, filename);
}

/**
 * Installs the tarball into an empty prefix. It has no dependencies, so npm needs no registry.
 * @param {string} tarball
 * @param {string | undefined} version of Node; by default the one that runs this
 */
async function tryTarball(tarball, version) {
  const node = version === undefined ? { file: process.execPath, version: process.versions.node } : nodeFor(version);
  process.stdout.write(`\nNode ${node.version}\n`);
  const prefix = join(place, `prefix-${node.version}`);
  npm('install', '--global', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', prefix, tarball);
  tryManPage(prefix);
  const bin = process.platform === 'win32' ? prefix : join(prefix, 'bin');
  const path = [bin, dirname(resolve(node.file)), withoutNode(join(prefix, 'path'))].join(delimiter);
  await tryProgram(`node-${node.version}`, [join(bin, process.platform === 'win32' ? 'gantry.cmd' : 'gantry')], path);
}

/**
 * npm links manual pages where `man` looks: beside the folder of programs.
 * @param {string} prefix
 */
function tryManPage(prefix) {
  if (process.platform === 'win32') return;
  const isThere = existsSync(join(prefix, 'share/man/man1/gantry.1'));
  process.stdout.write(`${isThere ? 'ok' : 'FAILED'} man gantry\n`);
  total[isThere ? 'passed' : 'failed'] += 1;
}

/** @param {string} version */
function nodeFor(version) {
  return nodeBinary(ownTarget, version);
}

/**
 * @param {string} name
 * @param {string[]} command
 * @param {string} path
 */
async function tryProgram(name, command, path) {
  const folder = join(place, name);
  const [home, temporary] = ['home', 'tmp'].map((each) => join(folder, each));
  for (const each of [home, temporary, join(folder, 'work')]) mkdirSync(String(each), { recursive: true });
  if (ordinary !== undefined) giveTo(ordinary, folder);
  const { SystemRoot, PATHEXT, COMSPEC } = process.env;
  const env = { PATH: path, HOME: home, USERPROFILE: home, APPDATA: home, LOCALAPPDATA: home, TMPDIR: temporary };
  const { passed, failed } = await smoke(
    {
      command,
      folder: join(folder, 'work'),
      env: { ...env, TEMP: temporary, TMP: temporary, LANG: 'C.UTF-8', NO_COLOR: '1', SystemRoot, PATHEXT, COMSPEC },
      ...(ordinary !== undefined && { uid: ordinary }),
    },
    manifest.version,
  );
  total.passed += passed;
  total.failed += failed;
}

/**
 * @param {number} user
 * @param {string} folder
 */
function giveTo(user, folder) {
  chmodSync(place, 0o755);
  for (const each of [folder, ...readdirSync(folder).map((name) => join(folder, name))]) chownSync(each, user, user);
}

/**
 * A PATH with Python and without Node: a folder with links on systems where both are in one.
 * @param {string} folder
 */
function withoutNode(folder) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  if (process.platform === 'win32')
    return folders.filter((each) => !existsSync(join(each, 'node.exe'))).join(delimiter);
  mkdirSync(folder, { recursive: true });
  for (const name of ['python3', 'sh', 'env']) {
    // A version manager's are scripts in the home folder of the one user who installed it.
    const found = ['/usr/bin', '/bin', ...folders].map((each) => join(each, name)).find((file) => existsSync(file));
    if (found) symlinkSync(found, join(folder, name));
  }
  return folder;
}
