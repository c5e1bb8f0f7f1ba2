// Apps of made-up files, the same in every run: text that shrinks as source code does, and noise that does not.
import { createCipheriv } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A number from 0 up to 1 after the other, always the same ones (mulberry32). */
function dice(seed = 1) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const poolBytes = 8 * 2 ** 20;

/** Bytes in which deflate finds nothing: a cipher's key stream. */
const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, 1), Buffer.alloc(16));
const noise = cipher.update(Buffer.alloc(poolBytes));

/** Lines of words, common ones more often than rare ones: they shrink to about a third. */
const text = (() => {
  const roll = dice();
  const letters = () => String.fromCharCode(97 + Math.floor(roll() * 26));
  const words = Array.from({ length: 4000 }, () =>
    Array.from({ length: 2 + Math.floor(roll() * 9) }, letters).join(''),
  );
  let lines = '';
  while (lines.length < poolBytes) {
    const line = Array.from(
      { length: 3 + Math.floor(roll() * 10) },
      () => words[Math.floor(roll() ** 3 * words.length)],
    );
    lines += `${' '.repeat(4 * Math.floor(roll() * 4))}${line.join(' ')}\n`;
  }
  return Buffer.from(lines).subarray(0, poolBytes);
})();

/**
 * A folder that `gantry deploy --dry-run -o` takes, with nothing else in it.
 * @param {string} folder
 */
function makeApp(folder) {
  mkdirSync(folder, { recursive: true });
  const config = '[cerebrium.deployment]\nname = "bench"\npython_version = "3.12"\ndisable_auth = false\n';
  writeFileSync(join(folder, 'cerebrium.toml'), config);
  writeFileSync(join(folder, 'main.py'), 'def run():\n    return {}\n');
}

/**
 * @typedef {object} Tree
 * @property {number} files
 * @property {number} bytes of all files together; single ones are of many sizes, small ones more often
 * @property {number} [noisy] the share of files that do not shrink; half of them have a name that says so
 */

/**
 * @param {string} folder
 * @param {Tree} tree
 */
export function makeTree(folder, { files, bytes, noisy = 0 }) {
  makeApp(folder);
  const roll = dice();
  const spread = Array.from({ length: files }, () => -Math.log(1 - roll()));
  const scale = bytes / spread.reduce((sum, share) => sum + share, 0);
  for (const [index, share] of spread.entries()) {
    const isNoise = roll() < noisy;
    const ending = isNoise ? (roll() < 0.5 ? 'png' : 'bin') : 'py';
    write(join(folder, place(index, ending)), isNoise ? noise : text, Math.round(share * scale), roll());
  }
}

/**
 * The same files with many more in folders that are never sent: one node_modules at the top, one in each package, and
 * the objects of a repository.
 * @param {string} folder
 * @param {Tree} tree
 * @param {number} excluded
 */
export function makeTreeWithExcluded(folder, tree, excluded) {
  makeTree(folder, tree);
  const homes = ['.git/objects', 'node_modules', ...Array.from({ length: 8 }, (_, n) => `d${n}/node_modules`)];
  for (let index = 0; index < excluded; index++) {
    const home = homes[index % homes.length] ?? '';
    write(join(folder, home, place(Math.floor(index / homes.length), 'js')), text, 100, 0);
  }
}

/**
 * An app whose only file of weight is a model.
 * @param {string} folder
 * @param {number} bytes
 */
export function makeModel(folder, bytes) {
  makeApp(folder);
  const file = openSync(join(folder, 'model.safetensors'), 'w');
  for (let left = bytes; left > 0; left -= poolBytes) writeSync(file, noise, 0, Math.min(left, poolBytes));
  closeSync(file);
}

/**
 * Files of one length and one content.
 * @param {string} folder
 * @param {number} files
 * @param {number} bytes of each
 */
export function makeEqualFiles(folder, files, bytes) {
  for (let index = 0; index < files; index++) write(join(folder, place(index, 'bin')), noise, bytes, 0);
}

/**
 * Twenty files to a folder, twenty folders to the folder above.
 * @param {number} index
 * @param {string} ending
 */
function place(index, ending) {
  return `d${Math.floor(index / 400)}/e${Math.floor(index / 20) % 20}/file${index}.${ending}`;
}

/**
 * @param {string} path
 * @param {Buffer} pool
 * @param {number} bytes
 * @param {number} start share of the pool before the first byte
 */
function write(path, pool, bytes, start) {
  mkdirSync(dirname(path), { recursive: true });
  let at = Math.floor(start * pool.length);
  const pieces = [];
  for (let left = bytes; left > 0; ) {
    const piece = pool.subarray(at, at + left);
    pieces.push(piece);
    left -= piece.length;
    at = 0;
  }
  writeFileSync(path, pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces));
}
