// Builds dist from src, unless it was built of the same files before.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { bundle } from './build/bundle.js';
import { writeTexts } from './build/texts.js';

const stamp = 'node_modules/.cache/built-from';
const sources = digestOf(['src', 'build', 'build.js', 'bin', 'package.json', 'package-lock.json', 'LICENSE']);

if (!existsSync('dist/main.cjs') || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== sources) {
  rmSync(stamp, { force: true });
  await bundle('dist');
  await writeTexts('dist');
  mkdirSync('node_modules/.cache', { recursive: true });
  writeFileSync(stamp, sources);
}

/**
 * Of their names and contents.
 * @param {string[]} paths
 */
function digestOf(paths) {
  const hash = createHash('sha256').update(process.version);
  const files = paths.flatMap((path) => (statSync(path).isFile() ? path : below(path)));
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

/** @param {string} folder */
function below(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => `${entry.parentPath}/${entry.name}`);
  return files.sort();
}
