// The main script of a single executable. The program's files are its assets, by their path in dist.
const { getAsset } = require('node:sea');
const { compileFunction } = require('node:vm');
const { dirname, join } = require('node:path');

const words = process.argv.slice(2);
const debug = words.includes('--debug');
if (debug) process.setSourceMapsEnabled(true);
/** @type {Map<string, { exports: any }>} */
const loaded = new Map();
const { answerWithoutParser, main, processIo } = load('main.cjs');

const answered = answerWithoutParser(words);
if (answered === undefined) {
  main(words, processIo()).then((/** @type {number} */ code) => {
    process.exitCode = code;
  });
} else {
  process.exitCode = answered;
}

/** @param {string} name */
function load(name) {
  const known = loaded.get(name);
  if (known) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const filename = join(dirname(process.execPath), name);
  const run = compileFunction(source(name), ['exports', 'require', 'module', '__filename', '__dirname'], { filename });
  run.call(module.exports, module.exports, requireFrom, module, filename, dirname(filename));
  return module.exports;
}

/** @param {string} id */
function requireFrom(id) {
  return id.startsWith('./') ? load(id.slice(2)) : require(id);
}

/**
 * With `--debug`, stacks name lines of src.
 * @param {string} name
 */
function source(name) {
  const text = getAsset(name, 'utf8');
  if (!debug) return text;
  const map = Buffer.from(getAsset(`${name}.map`, 'utf8')).toString('base64');
  return text.replace(/(\/\/# sourceMappingURL=).*/, `$1data:application/json;base64,${map}`);
}
