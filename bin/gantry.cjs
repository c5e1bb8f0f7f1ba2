#!/usr/bin/env node
// CommonJS on purpose: Node starts it faster than an ES module (docs/decisions/0002).
const { answeredAtOnce, main, processIo } = require('../dist/main.cjs');

const words = process.argv.slice(2);
if (!answeredAtOnce(words)) {
  main(words, processIo()).then((code) => {
    process.exitCode = code;
  });
}
