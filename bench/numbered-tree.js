// Trees of any number of files whose paths follow from their numbers: listing.js lists them, and on disk they are the
// other side of a sync.
import { closeSync, futimesSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';

/** In a flat tree all files are in one folder. */
export const filesPerFolder = 20;
const foldersPerFolder = 4;

/** Of every file. All are empty. */
export const modified = new Date('2026-01-01T00:00:00Z');

/** @param {number} number */
export function fileName(number) {
  return `file-${padded(number)}.bin`;
}

/** @param {number} number */
export function folderName(number) {
  return `d${padded(number)}`;
}

/**
 * Folders are numbered from the root downwards, as in a heap.
 * @param {number} number
 * @param {number} files of the whole tree
 */
export function innerFolders(number, files) {
  const first = number * foldersPerFolder + 1;
  const all = Array.from({ length: foldersPerFolder }, (_, index) => first + index);
  return all.filter((each) => each < Math.ceil(files / filesPerFolder));
}

/**
 * @param {string} root
 * @param {number} files
 * @param {'deep' | 'flat'} shape
 */
export function makeNumberedTree(root, files, shape) {
  const waiting = [{ path: root, number: 0 }];
  for (let folder = waiting.pop(); folder; folder = waiting.pop()) {
    const { path, number } = folder;
    mkdirSync(path, { recursive: true });
    const count = shape === 'flat' ? files : filesPerFolder;
    for (let index = 0; index < count; index++) makeFile(join(path, fileName(number * filesPerFolder + index)));
    if (shape === 'flat') return;
    for (const inner of innerFolders(number, files))
      waiting.push({ path: join(path, folderName(inner)), number: inner });
  }
}

/** @param {string} path */
function makeFile(path) {
  const file = openSync(path, 'w');
  futimesSync(file, modified, modified);
  closeSync(file);
}

/** @param {number} number */
function padded(number) {
  return String(number).padStart(7, '0');
}
