#!/usr/bin/env node
// CommonJS on purpose: Node starts it faster than an ES module (docs/decisions/0002).
const { main, processIo } = require('../dist/main.cjs');

main(process.argv.slice(2), processIo()).then((code) => {
  process.exitCode = code;
});
