#!/usr/bin/env node
// CommonJS on purpose: Node starts it faster than an ES module (docs/decisions/0002). Old versions of Node must be able
// to parse this file.
// A failure (gantry help exit-codes) until main has settled: an event loop that runs empty is no success.
process.exitCode = 70;
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  const { homepage } = require('../package.json');
  fail(`gantry needs Node 20.19 or later, this is ${process.version}; executables that need no Node: ${homepage}`);
} else {
  run(process.argv.slice(2));
}

/** @param {string[]} words */
function run(words) {
  // Stacks then name lines of src. It must be known before the program is loaded: Node reads maps along with the code.
  if (words.includes('--debug')) process.setSourceMapsEnabled(true);
  const program = load();
  if (!program) return;

  const answered = program.answerWithoutParser(words);
  if (answered === undefined) {
    // Its stacks would name other lines.
    if (!words.includes('--debug')) require('../dist/code-cache.cjs').useCodeCache();
    program.main(words, program.processIo()).then((code) => {
      process.exitCode = code;
    });
  } else {
    process.exitCode = answered;
  }
}

/** An installation from git with `--ignore-scripts` has sources only. */
function load() {
  try {
    return require('../dist/main.cjs');
  } catch (error) {
    if (!/dist.main\.cjs/.test(/** @type {Error} */ (error).message)) throw error;
    fail('gantry is not built: npm was told to run no scripts; run npm install && npm run build in its folder');
    return undefined;
  }
}

/** @param {string} message */
function fail(message) {
  process.stderr.write(`error: ${message}\n`);
  process.exitCode = 1;
}
