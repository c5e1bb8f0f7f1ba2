import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { inject } from 'postject';
import known from './node.json' with { type: 'json' };
import { nodeBinary, ownTarget } from './node-binary.js';

/** @import { Target } from './node-binary.js' */

/**
 * Makes one file of Node and the program (docs/decisions/0011). Node of the same version writes what is added.
 * @param {Target} target
 * @param {string} output
 * @param {string} [version] another one of Node than that of packaging/node.json
 */
export async function makeExecutable(target, output, version = known[target].version) {
  const blob = join(dirname(output), `.blob-${target}`);
  const config = `${blob}.json`;
  mkdirSync(dirname(output), { recursive: true });
  const cache = `${blob}.cache`;
  compileAhead(target, nodeFor(target, version), cache);
  writeFileSync(config, JSON.stringify({ ...settings, output: blob, assets: { ...assets('dist'), ...assets(cache) } }));
  execFileSync(resolve(nodeFor(ownTarget, version)), ['--experimental-sea-config', config], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });

  copyFileSync(nodeFor(target, version), output);
  chmodSync(output, 0o755);
  // Only before the program is added: afterwards it would be cut off.
  strip(target, output);
  await inject(output, 'NODE_SEA_BLOB', readFileSync(blob), {
    sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
    machoSegmentName: 'NODE_SEA',
  });
  if (target.startsWith('darwin')) sign(output);
  for (const each of [blob, config, cache]) rmSync(each, { recursive: true });
  return output;
}

/**
 * @param {Target} target
 * @param {string} version
 */
function nodeFor(target, version) {
  const { version: pinned, integrity } = known[target];
  return nodeBinary(target, version, version === pinned ? integrity : undefined).file;
}

/**
 * The license of Node: the packages of some platforms have none of it, and it is the same on all.
 * @param {Target} target
 */
export function nodeLicense(target) {
  return readFileSync(nodeBinary('linux-x64', known[target].version).license);
}

const settings = { main: 'packaging/loader.cjs', disableExperimentalSEAWarning: true };

/**
 * Writes what V8 makes of the files that most commands load. Without it the executable starts slower, and works.
 * @param {Target} target
 * @param {string} node of the executable
 * @param {string} folder
 */
function compileAhead(target, node, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const command = ['bin/gantry.cjs', 'emulator', 'exec', '--', resolve(node), 'packaging/code-cache.cjs', folder];
  const { status, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  if (status === 0) return;
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  if (target === ownTarget) throw new Error(stderr);
  process.stderr.write(
    `note: this machine cannot run Node for ${target}: the executable starts slower than it could\n`,
  );
}

/**
 * What the program reads at run time, by its path.
 * @param {string} folder
 */
function assets(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const kept = files.filter((file) => statSync(join(folder, file)).isFile());
  return Object.fromEntries(kept.map((file) => [file.replaceAll('\\', '/'), join(folder, file)]));
}

/**
 * Symbols are a fifth of Node, but for Windows. Where there is no tool for the platform's format, they stay.
 * @param {Target} target
 * @param {string} file
 */
function strip(target, file) {
  const tools = strippers[target];
  if (!tools) return;
  for (const tool of [...(target === ownTarget ? ['strip'] : []), ...tools]) {
    if (spawnSync(tool, target.startsWith('darwin') ? ['-x', file] : [file], { stdio: 'ignore' }).status === 0) return;
  }
  process.stderr.write(`note: found no tool to strip ${target}: the executable is larger than it could be\n`);
}

/** @type {Partial<Record<Target, string[]>>} */
const strippers = {
  'linux-x64': ['x86_64-linux-gnu-strip', 'llvm-strip'],
  'linux-arm64': ['aarch64-linux-gnu-strip', 'llvm-strip'],
  'darwin-x64': ['llvm-strip'],
  'darwin-arm64': ['llvm-strip'],
};

/**
 * macOS runs no program without a signature, and changing Node has broken the one it had.
 * @param {string} file
 */
function sign(file) {
  const identity = process.env.GANTRY_SIGNING_IDENTITY ?? '-';
  if (spawnSync('codesign', ['--sign', identity, '--force', '--options', 'runtime', file]).status === 0) return;
  process.stderr.write(`note: ${file} is not signed, and runs only after: codesign --sign - ${file}\n`);
}
