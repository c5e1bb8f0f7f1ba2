#!/usr/bin/env node
// CommonJS on purpose: Node starts it faster than an ES module (docs/decisions/0002).
const words = process.argv.slice(2);
// Stacks then name lines of src. It must be known before the program is loaded: Node reads maps along with the code.
if (words.includes('--debug')) process.setSourceMapsEnabled(true);
const { answerWithoutParser, main, processIo } = require('../dist/main.cjs');

const answered = answerWithoutParser(words);
if (answered === undefined) {
  main(words, processIo()).then((code) => {
    process.exitCode = code;
  });
} else {
  process.exitCode = answered;
}
