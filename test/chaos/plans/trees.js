import { drawName } from '../names.js';

/** @typedef {import('../draw.js').Draw} Draw @typedef {import('../types.ts').Content} Content */

/** A long time ago, for what is older than anything a command makes. */
export const longAgo = Date.parse('2026-01-01T00:00:00Z');

/** @param {Draw} draw @param {{ isLarge?: boolean }} [how] @returns {Content} */
export function drawContent(draw, { isLarge = false } = {}) {
  const salt = draw.int(0, 2 ** 30);
  if (isLarge) return { size: draw.pick([5 * mebi, 5 * mebi + 1, draw.int(5 * mebi, 11 * mebi), 10 * mebi]), salt };
  const size = draw.weighted([
    [1, 0],
    [1, 1],
    [5, draw.int(2, 300)],
    [4, draw.int(300, 20_000)],
    [1, draw.int(20_000, 200_000)],
  ]);
  return { size, salt };
}

const mebi = 1024 * 1024;

/**
 * Files by their paths relative to a folder.
 * @param {Draw} draw @param {{ most?: number, oddness?: number, large?: number }} [how]
 * @returns {{ path: string, content: Content, modified: number }[]}
 */
export function drawTree(draw, { most = 8, oddness = 0.2, large = 0.15 } = {}) {
  const count = draw.weighted([
    [3, draw.int(1, 3)],
    [5, draw.int(2, most)],
    [1, draw.int(most, most * 4)],
  ]);
  /** @type {{ path: string, taken: Set<string> }[]} */
  const folders = [{ path: '', taken: new Set() }];
  const largeAt = draw.chance(large) ? draw.int(0, count - 1) : -1;
  const files = [];
  for (let index = 0; index < count; index++) {
    if (draw.chance(0.25) && folders.length < 6) {
      const parent = draw.pick(folders);
      if (parent.path.length < 300) {
        folders.push({ path: `${parent.path}${drawName(draw, parent.taken, oddness)}/`, taken: new Set() });
      }
    }
    const folder = draw.pick(folders);
    const path = folder.path + drawName(draw, folder.taken, oddness);
    const modified = longAgo + draw.int(0, 10_000_000) * 1000;
    files.push({ path, content: drawContent(draw, { isLarge: index === largeAt }), modified });
  }
  return files;
}

/** The folders above a path, the outermost first. @param {string} path */
export function foldersAbove(path) {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index)).filter(Boolean);
}
