#!/usr/bin/env node
// CommonJS on purpose: Node starts it faster than an ES module (docs/decisions/0002).
const { answerWithoutParser, main, processIo } = require('../dist/main.cjs');

const words = process.argv.slice(2);
const answered = answerWithoutParser(words);
if (answered === undefined) {
  main(words, processIo()).then((code) => {
    process.exitCode = code;
  });
} else {
  process.exitCode = answered;
}
