// NODE packaging/code-cache.cjs FOLDER: what V8 makes of the files that most commands load, for packaging/loader.cjs. Must be
// run by the Node of the executable, since no other can read it, and inside of an emulator.
const { execFileSync } = require('node:child_process');
const { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const vm = require('node:vm');

const commands = [
  ['config', 'list'],
  ['apps', 'list'],
];
/** With these V8 makes the same bytes each time. They change nothing of what it makes. */
const repeatable = ['--hash-seed=1', '--no-flush-bytecode', '--single-threaded'];

const [, , folder = '', ...words] = process.argv;
if (words.length > 0) record();
else make();

function make() {
  mkdirSync(folder, { recursive: true });
  for (const command of commands) {
    execFileSync(process.execPath, [...repeatable, __filename, folder, ...command], { stdio: 'ignore' });
  }
  for (const name of readdirSync(folder)) accept(join(folder, name));
}

/**
 * V8 takes only what was made with its own flags, so their checksum, the fourth number, is replaced by that of a Node without
 * flags. Then it must take it.
 * @param {string} file
 */
function accept(file) {
  const { text, data } = JSON.parse(readFileSync(file, 'utf8'));
  const cachedData = Buffer.from(data, 'base64');
  new vm.Script('').createCachedData().copy(cachedData, 12, 12, 16);
  const script = new vm.Script(text, { cachedData });
  if (script.cachedDataRejected) throw new Error(`V8 does not take ${file}: its format has changed`);
  writeFileSync(file, cachedData);
}

/** Runs a command line as the executable does. Of two command lines the one counts that used more of a file. */
function record() {
  /** @type {Map<string, { text: string, script: vm.Script }>} */
  const scripts = new Map();
  class RecordedScript extends vm.Script {
    /**
     * @param {string} text
     * @param {vm.ScriptOptions} options
     */
    constructor(text, options) {
      super(text, options);
      scripts.set(String(options.filename).replace(/^.*[\\/]/, ''), { text, script: this });
    }
  }
  /** @type {Record<string, unknown>} */
  const replaced = {
    'node:sea': { getAsset: (/** @type {string} */ name) => readFileSync(join('dist', name), 'utf8') },
    'node:vm': { ...vm, Script: RecordedScript },
  };
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...words);
  const loader = vm.compileFunction(readFileSync('packaging/loader.cjs', 'utf8'), ['require']);
  loader((/** @type {string} */ id) => replaced[id] ?? require(id));
  process.once('exit', () => {
    for (const [name, { text, script }] of scripts) {
      const file = join(folder, `${name}.cache`);
      const content = JSON.stringify({ text, data: script.createCachedData().toString('base64') });
      if (content.length > (statSync(file, { throwIfNoEntry: false })?.size ?? 0)) writeFileSync(file, content);
    }
  });
}
