import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import known from './node.json' with { type: 'json' };

/** @typedef {keyof typeof known} Target a platform, and the npm package that holds Node for it */

export const targets = /** @type {Target[]} */ (Object.keys(known));

/** The target of the machine that this runs on. */
export const ownTarget = /** @type {Target} */ (`${process.platform}-${process.arch}`);

/**
 * Node for a platform, from the registry: npm checks the package against its integrity there. With an integrity of ours,
 * it must also be the package that we know.
 * @param {Target} target
 * @param {string} version a range such as `22` takes the newest
 * @param {string} [integrity]
 */
export function nodeBinary(target, version, integrity) {
  if (!targets.includes(target)) throw new Error(`there is no Node for ${target}; known are ${targets.join(', ')}`);
  const { package: name } = known[target];
  const exact = /^\d+\.\d+\.\d+$/.test(version) ? version : newest(name, version);
  const folder = join(cache, `${name}-${exact}`);
  const file = join(folder, 'package/bin', target.startsWith('win32') ? 'node.exe' : 'node');
  if (!existsSync(file)) unpack(`${name}@${exact}`, folder, integrity);
  return { file, license: join(folder, 'package/LICENSE'), version: exact };
}

/** `npm ci` removes it. */
const cache = 'node_modules/.cache/node';

/**
 * @param {string} name
 * @param {string} range
 */
function newest(name, range) {
  const found = JSON.parse(npm('view', `${name}@${range}`, 'version', '--json'));
  const versions = [found].flat().sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return versions.at(-1);
}

/**
 * @param {string} spec
 * @param {string} folder
 * @param {string | undefined} integrity
 */
function unpack(spec, folder, integrity) {
  const temporary = `${folder}.${process.pid}`;
  mkdirSync(temporary, { recursive: true });
  const [packed] = JSON.parse(npm('pack', spec, '--json', '--ignore-scripts', '--pack-destination', temporary));
  if (integrity && packed.integrity !== integrity) {
    throw new Error(`${spec} is not the package that packaging/node.json names: ${packed.integrity}`);
  }
  execFileSync('tar', ['-xzf', packed.filename], { cwd: temporary });
  rmSync(folder, { recursive: true, force: true });
  renameSync(temporary, folder);
}

/** @param {string[]} words */
export function npm(...words) {
  return execaSync('npm', words, { stdin: 'ignore', stderr: 'inherit', maxBuffer: 1e9 }).stdout;
}
