import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { decode, encode } from '@jridgewell/sourcemap-codec';

/**
 * Reduces source maps to what stacks need: the lines of our own sources. Whole ones are as large as the program.
 * @param {string} folder
 */
export function keepOwnLines(folder) {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.map'))) {
    const { sources, mappings } = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'));
    const kept = decode(mappings).map((segments) => firstOfLines(segments.map((each) => own(each, sources))));
    const map = { version: 3, sources: sources.map(ownName), names: [], mappings: encode(kept) };
    writeFileSync(`${folder}/${file}`, JSON.stringify(map));
  }
}

/** @typedef {import('@jridgewell/sourcemap-codec').SourceMapSegment} Segment */

/**
 * Without a source, the code is said to have none.
 * @param {Segment} segment
 * @param {string[]} sources
 * @returns {Segment}
 */
function own(segment, sources) {
  const [column, source = -1, line = 0] = segment;
  return isOwn(sources[source]) ? [column, source, line, 0] : [column];
}

/** @param {Segment[]} segments */
function firstOfLines(segments) {
  return segments.filter(([, source, line], at) => {
    const before = segments[at - 1];
    return before === undefined || before[1] !== source || before[2] !== line;
  });
}

/** @param {string | undefined} source */
function isOwn(source) {
  return source !== undefined && /(^|\/)src\//.test(source) && !source.includes('node_modules');
}

/** @param {string} source */
function ownName(source) {
  return isOwn(source) ? source : '';
}
