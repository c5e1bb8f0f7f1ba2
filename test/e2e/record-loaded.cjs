// Loaded with --require: writes which files the process had loaded or read when it ended, one a line.
const fs = require('node:fs');

const read = new Set();
const original = fs.readFileSync;
fs.readFileSync = /** @type {typeof original} */ (
  (/** @type {fs.PathOrFileDescriptor} */ path, /** @type {never} */ options) => {
    read.add(String(path));
    return original(path, options);
  }
);

process.on('exit', () => {
  const loaded = new Set([...Object.keys(require.cache), ...read]);
  loaded.delete(__filename);
  fs.writeFileSync(process.env.RECORD_LOADED ?? '', [...loaded].join('\n'));
});
