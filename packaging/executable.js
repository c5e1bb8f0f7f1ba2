import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import node from './node.json' with { type: 'json' };
import { nodeBinary, ownTarget } from './node-binary.js';

/** @import { Target } from './node-binary.js' */

/**
 * Makes one file of Node and the program (docs/decisions/0011). Node of this machine writes it for all platforms.
 * @param {Target} target
 * @param {string} output
 */
export function makeExecutable(target, output) {
  const own = nodeFor(ownTarget);
  const base = join(dirname(output), `.node-${target}`);
  mkdirSync(dirname(output), { recursive: true });
  copyFileSync(nodeFor(target).file, base);
  chmodSync(base, 0o755);
  // Only before the program is added: afterwards it would be cut off.
  strip(target, base);
  const config = `${base}.json`;
  writeFileSync(config, JSON.stringify({ ...settings, executable: base, output, assets: assets('dist') }));
  execFileSync(resolve(own.file), ['--build-sea', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  chmodSync(output, 0o755);
  if (target.startsWith('darwin')) sign(output);
  return output;
}

/** @param {Target} target */
export function nodeFor(target) {
  return nodeBinary(target, node.version, node.integrity[target]);
}

const settings = { main: 'packaging/loader.cjs', disableExperimentalSEAWarning: true };

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
 * Symbols are a fifth of Node. Where there is no tool for the platform's format, they stay.
 * @param {Target} target
 * @param {string} file
 */
function strip(target, file) {
  const [platform = ''] = target.split('-');
  const flags = platform === 'darwin' ? ['-x'] : [];
  for (const tool of [...(target === ownTarget ? ['strip'] : []), ...(strippers[target] ?? [])]) {
    if (spawnSync(tool, [...flags, file], { stdio: 'ignore' }).status === 0) return;
  }
  process.stderr.write(`note: found no tool to strip ${target}: the executable is larger than it could be\n`);
}

/** @type {Partial<Record<Target, string[]>>} */
const strippers = {
  'linux-x64': ['x86_64-linux-gnu-strip', 'llvm-strip'],
  'linux-arm64': ['aarch64-linux-gnu-strip', 'llvm-strip'],
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
