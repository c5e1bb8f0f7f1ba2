// The main script of a single executable. The program's files are its assets, by their path in dist.
const { getAsset, getRawAsset } = require('node:sea');
const Module = require('node:module');
const { Script } = require('node:vm');
const { dirname, join } = require('node:path');

// A failure until main has settled (bin/gantry.cjs).
process.exitCode = 70;
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
  const filename = join(dirname(process.execPath), name);
  const module = new Module(filename);
  loaded.set(name, module);
  if (debug) return loadWithMap(name, filename, module);
  compiled(name, filename).call(module.exports, module.exports, requireFrom, module, filename, dirname(filename));
  return module.exports;
}

/**
 * With what V8 made of the same text before (packaging/code-cache.cjs), a program starts in four fifths of the time. V8
 * itself refuses what another version or machine has made.
 * @param {string} name
 * @param {string} filename
 */
function compiled(name, filename) {
  const text = getAsset(name, 'utf8');
  const start = '(function (exports, require, module, __filename, __dirname) {';
  const cachedData = codeCache(name);
  const options = { filename, columnOffset: -start.length, ...(cachedData && { cachedData }) };
  return new Script(`${start}${text}\n})`, options).runInThisContext();
}

/** @param {string} name */
function codeCache(name) {
  try {
    return new Uint8Array(/** @type {ArrayBuffer} */ (getRawAsset(`${name}.cache`)));
  } catch {
    return undefined;
  }
}

/** @param {string} id */
function requireFrom(id) {
  return id.startsWith('./') ? load(id.slice(2)) : require(id);
}

/**
 * Stacks then name lines of src. Node reads maps of modules only. A file of the bundler itself has none.
 * @param {string} name
 * @param {string} filename
 * @param {any} module
 */
function loadWithMap(name, filename, module) {
  const text = getAsset(name, 'utf8').replace(/(\/\/# sourceMappingURL=).*/, (_, start) => {
    const map = Buffer.from(getAsset(`${name}.map`, 'utf8')).toString('base64');
    return `${start}data:application/json;base64,${map}`;
  });
  module.require = requireFrom;
  module._compile(text, filename);
  return module.exports;
}
