/** @typedef {import('./draw.js').Draw} Draw */

const plain = ['a', 'b', 'data', 'model', 'notes', 'readme', 'x1', 'report', 'train', 'w'];
const endings = ['', '.txt', '.bin', '.json', '.tar.gz', '.py'];

/** Names that have broken programs before. */
const odd = [
  'with space',
  ' lead',
  'trail ',
  '-dash',
  '--help',
  'new\nline',
  'tab\there',
  'quote"\'s',
  'percent%2Fslash',
  'plus+and&amp=1',
  'hash#frag?query',
  'caf\u00e9',
  'cafe\u0301',
  'README',
  'Readme',
  'readme',
  '\u65e5\u672c\u8a9e',
  '\u{1F600}',
  '__proto__',
  'constructor',
  'toString',
  '...',
  '.hidden',
  'trailing.',
  'back\\slash',
  'star*',
  '[br]',
  'semi;colon',
  'col:on',
  '$HOME',
  '~',
  'nul',
  'a.gantry-part',
  '.gantry-tmp',
  '\u202egnp.exe',
  '\u001b[31mred',
];

/** A name of a file or folder, not one of `taken`. @param {Draw} draw @param {Set<string>} taken @param {number} [oddness] */
export function drawName(draw, taken, oddness = 0.2) {
  for (;;) {
    const name = oneName(draw, oddness);
    if (!taken.has(name)) {
      taken.add(name);
      return name;
    }
  }
}

/** @param {Draw} draw @param {number} oddness */
function oneName(draw, oddness) {
  if (draw.chance(oddness)) {
    if (draw.chance(0.06)) return 'l'.repeat(draw.int(200, 255));
    return draw.pick(odd) + (draw.chance(0.2) ? draw.int(0, 99) : '');
  }
  return draw.pick(plain) + draw.int(0, 30) + draw.pick(endings);
}
