import { decode, encode } from '@jridgewell/sourcemap-codec';

/** @import { Plugin } from 'rolldown' */

/**
 * Escapes every character beyond ASCII: a single one makes V8 hold the whole file in two bytes a character, and
 * `apps list` starts 1.5 ms later. Runs after the minifier, which would write the characters again.
 * @type {Plugin}
 */
export const asciiChunks = {
  name: 'ascii chunks',
  generateBundle(_options, files) {
    for (const chunk of Object.values(files)) {
      if (chunk.type !== 'chunk') continue;
      const lines = chunk.code.split('\n');
      chunk.code = lines.map(escaped).join('\n');
      if (chunk.map) chunk.map.mappings = shifted(chunk.map.mappings, lines);
    }
  },
};

/**
 * `\u` and four digits mean the same in strings, templates, regular expressions, names and JSON. Whoever reads the raw text of
 * a template sees them.
 * @param {string} code
 */
export function escaped(code) {
  return code.replace(beyondAscii, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Moves each mapping by what the escapes before it have added to its line.
 * @param {string} mappings
 * @param {string[]} lines before they were escaped
 */
function shifted(mappings, lines) {
  const moved = decode(mappings);
  for (const [index, segments] of moved.entries()) {
    const columns = [...(lines[index] ?? '').matchAll(beyondAscii)].map((match) => match.index);
    let before = 0;
    for (const segment of segments) {
      while ((columns[before] ?? Number.POSITIVE_INFINITY) < segment[0]) before++;
      segment[0] += before * (escapeLength - 1);
    }
  }
  return encode(moved);
}

const beyondAscii = /[^\0-\x7f]/g;
const escapeLength = '\\u0000'.length;
