import { relative } from 'node:path';
import { mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';
import { listFunctions, parseSource } from './source.js';

/** Makes each function of `src/` note that it was called (see record-setup.js). */
const noteCalls = {
  name: 'note-calls',
  enforce: /** @type {const} */ ('pre'),
  /** @param {string} text @param {string} id */
  transform(text, id) {
    const file = relative(process.cwd(), id);
    if (!/^src\/.*\.ts$/.test(file)) return;
    return { code: withNotes(file, text), map: null };
  },
};

export default mergeConfig(base, {
  plugins: [noteCalls],
  test: {
    setupFiles: ['test/mutation/record-setup.js'],
    exclude: ['test/e2e/**'],
    // What is compiled here is of no use to anyone else.
    experimental: { fsModuleCache: false },
  },
});

/** @param {string} file @param {string} text */
function withNotes(file, text) {
  /** @type {[offset: number, text: string][]} */
  const insertions = [];
  for (const { start, body } of listFunctions(parseSource(file, text))) {
    const note = `globalThis.calledFunctions?.add('${file}:${start}')`;
    const { type, start: from, end } = /** @type {import('./source.js').Node} */ (body);
    if (type === 'BlockStatement') insertions.push([from + 1, `${note};`]);
    else insertions.push([from, `(${note}, `], [end, ')']);
  }
  // Functions in functions may end at the same offset: only their closing parentheses meet there.
  insertions.sort(([a], [b]) => b - a);
  return insertions.reduce((code, [offset, note]) => code.slice(0, offset) + note + code.slice(offset), text);
}
