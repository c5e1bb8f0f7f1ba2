import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bundle } from '../build/bundle.js';

/**
 * @typedef {object} Change
 * @property {string} file the end of its path, as in `copy/upload.ts`
 * @property {string} from text that the file must contain exactly once
 * @property {string} to
 */

/**
 * Builds the program with changed sources, to measure what a part of it costs.
 * @param {string} folder
 * @param {Change[]} changes
 * @returns {Promise<string>} the program's path
 */
export async function buildVariant(folder, changes) {
  const left = new Set(changes);
  await bundle(join(folder, 'dist'), [
    {
      name: 'changes',
      transform(code, id) {
        const own = changes.filter(({ file }) => id.replaceAll('\\', '/').endsWith(`/${file}`));
        for (const change of own) left.delete(change);
        return own.length > 0 ? { code: own.reduce(changed, code), map: null } : undefined;
      },
    },
  ]);
  for (const { file } of left) throw new Error(`the program has no module ${file}: change bench/ where it is named`);
  const program = join(folder, 'bin', basename(original));
  mkdirSync(join(folder, 'bin'));
  copyFileSync(original, program);
  return program;
}

const original = 'bin/gantry.cjs';

/**
 * @param {string} code
 * @param {Change} change
 */
function changed(code, { file, from, to }) {
  const pieces = code.split(from);
  if (pieces.length !== 2) throw new Error(`${file} has ${JSON.stringify(from)} ${pieces.length - 1} times, not once`);
  return pieces.join(to);
}
