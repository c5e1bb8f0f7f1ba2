// Of four libraries the program needs a part. The whole ones would make the package half as large again.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

/** @import { Plugin } from 'rolldown' */

const require = createRequire(import.meta.url);

/**
 * Connections and WebSockets of undici, without its caches, mocks, interceptors and other agents. What only WebSockets need
 * is not run before there is one.
 * @type {Plugin}
 */
const undiciParts = replaced(/node_modules.undici.index\.js$/, () => {
  const part = (/** @type {string} */ name, /** @type {string} */ path, key = '') =>
    `Object.defineProperty(exports, '${name}', { enumerable: true, get: () => require('./lib/${path}')${key} });`;
  return [
    "Object.assign(require('./lib/dispatcher/dispatcher').prototype, require('./lib/api'));",
    part('Agent', 'dispatcher/agent'),
    part('buildConnector', 'core/connect'),
    part('WebSocket', 'web/websocket/websocket', '.WebSocket'),
    part('ping', 'web/websocket/websocket', '.ping'),
  ].join('\n');
});

/**
 * undici's parser is in it twice, as WebAssembly with and without vector instructions. The plain one runs everywhere.
 * @type {Plugin}
 */
const oneParser = replaced(
  /undici.lib.llhttp.llhttp_simd-wasm\.js$/,
  () => "module.exports = require('./llhttp-wasm.js');",
);

/**
 * The MCP SDK checks what clients enter into forms against a schema. gantry shows no forms, and its own checks are those
 * of the command line.
 * @type {Plugin}
 */
const mcpParts = replaced(/@modelcontextprotocol.server.dist.shimsNode\.mjs$/, () =>
  [
    "export { default as process } from 'node:process';",
    'export class DefaultJsonSchemaValidator {',
    "  getValidator() { throw new Error('gantry validates no forms'); }",
    '}',
  ].join('\n'),
);

/** The tars of archiver, without its zips and its search for files. @type {Plugin[]} */
const archiverParts = [
  replaced(/archiver.lib.plugins.zip\.js$/, () => 'export default class Zip {}'),
  replaced(/node_modules.readdir-glob.dist.index\.mjs$/, () => 'export default { ReaddirGlob: class {} };'),
  // A copy of Node's own streams for browsers and old versions of Node.
  replaced(/node_modules.readable-stream.lib.ours.index\.js$/, () => "module.exports = require('node:stream');"),
];

/**
 * jq as a file of its own that is compressed: in the module it would be text, which is a third larger and compresses badly.
 * @param {string} folder of the program
 * @returns {Plugin}
 */
function jqFile(folder) {
  return {
    name: 'jq file',
    resolveId: (source) => (source === 'jq-wasm/inline' ? '\0jq' : undefined),
    load(id) {
      if (id !== '\0jq') return undefined;
      writeFileSync(join(folder, jqName), compressedJq());
      return [
        "import { brotliDecompressSync } from 'node:zlib';",
        "import { loadJq as load } from 'jq-wasm';",
        `import { readOwnBytes } from ${JSON.stringify(resolve('src/own-files.ts'))};`,
        `export const loadJq = () => load({ wasmBinary: brotliDecompressSync(readOwnBytes('${jqName}')) });`,
      ].join('\n');
    },
  };
}

const jqName = 'jq.wasm.br';

/** Compressing takes seconds, so the result is kept for the next build. */
function compressedJq() {
  const { version } = require('jq-wasm/package.json');
  const kept = `node_modules/.cache/gantry/jq-${version}.br`;
  if (existsSync(kept)) return readFileSync(kept);
  const wasm = readFileSync(require.resolve('jq-wasm/jq.wasm'));
  const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants;
  const compressed = brotliCompressSync(wasm, {
    params: { [BROTLI_PARAM_LGWIN]: 22, [BROTLI_PARAM_SIZE_HINT]: wasm.length },
  });
  mkdirSync(dirname(kept), { recursive: true });
  writeFileSync(kept, compressed);
  return compressed;
}

/** @param {string} folder of the program */
export function libraryParts(folder) {
  return [undiciParts, oneParser, mcpParts, ...archiverParts, jqFile(folder)];
}

/**
 * Replaces the text of one module. A library without it fails the build.
 * @param {RegExp} module
 * @param {() => string} text
 * @returns {Plugin}
 */
function replaced(module, text) {
  let isFound = false;
  return {
    name: `part of ${module.source}`,
    load(id) {
      if (!module.test(id)) return undefined;
      isFound = true;
      return text();
    },
    buildEnd() {
      if (!isFound) throw new Error(`${module.source} is not in the program any more: build/library-parts.js is stale`);
    },
  };
}
