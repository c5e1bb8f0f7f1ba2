// Of some libraries the program needs a part. The whole ones would make the package half as large again.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

/** @import { Plugin } from 'rolldown' */

const require = createRequire(import.meta.url);

const unpause = `while (this.paused) {
      const rest = this.socket.read() || EMPTY_BUF
      this.llhttp.llhttp_resume(this.ptr)
      this.paused = false
      this.execute(rest)
      if (rest.length === 0) break
    }`;

/**
 * Connections of undici and its `request`, without its fetch, WebSockets, HTTP/2, caches, mocks, interceptors and other
 * agents.
 */
const undiciParts = [
  replaced(/node_modules.undici.index\.js$/, () => {
    const part = (/** @type {string} */ name, /** @type {string} */ path) =>
      `Object.defineProperty(exports, '${name}', { enumerable: true, get: () => require('./lib/${path}') });`;
    return [
      "require('./lib/dispatcher/dispatcher').prototype.request = require('./lib/api/api-request');",
      part('Agent', 'dispatcher/agent'),
      part('buildConnector', 'core/connect'),
    ].join('\n');
  }),
  // A response that ends with its connection while its reader pauses would end the process (nodejs/undici#5360). The
  // parser takes what is left instead, as that of undici 8 does, which needs Node 22.
  replaced(/undici.lib.dispatcher.client-h1\.js$/, (text) =>
    cut(text, /(\n {2}finish \(\) \{[^}]*?)assert\(!this\.paused\)/, `$1${unpause}`),
  ),
  // Spoken only by who allows it.
  replaced(/undici.lib.dispatcher.client-h2\.js$/, () => 'module.exports = {};'),
  // For a body that is a form. gantry writes those itself (src/platform/api/multipart.ts).
  replaced(/undici.lib.web.fetch.body\.js$/, () => 'module.exports = {};'),
];

/**
 * undici's parser is in it twice, as WebAssembly with and without vector instructions. The plain one runs everywhere.
 * @param {string} folder of the program
 */
const oneParser = (folder) => [
  replaced(/undici.lib.llhttp.llhttp_simd-wasm\.js$/, () => "module.exports = require('./llhttp-wasm.js');"),
  replaced(/undici.lib.llhttp.llhttp-wasm\.js$/, (_, file) =>
    [
      "const { brotliDecompressSync } = require('node:zlib');",
      `const { readOwnBytes } = require(${JSON.stringify(ownFiles)});`,
      `module.exports = brotliDecompressSync(readOwnBytes('${compressedFile(folder, 'llhttp', require(file))}'));`,
    ].join('\n'),
  ),
];

/**
 * The MCP SDK checks what clients enter into forms against a schema. gantry shows no forms, and its own checks are those
 * of the command line. Nor does it need the server of a higher level, which makes JSON Schemas from those of zod.
 */
const mcpParts = [
  replaced(/@modelcontextprotocol.server.dist.shimsNode\.mjs$/, () =>
    [
      "export { default as process } from 'node:process';",
      'export class DefaultJsonSchemaValidator {',
      "  getValidator() { throw new Error('gantry validates no forms'); }",
      '}',
    ].join('\n'),
  ),
  replaced(/@modelcontextprotocol.server.dist.mcp-\w+\.mjs$/, (text) =>
    cut(text, /^var McpServer = class \{[\s\S]*?^\};/m, 'var McpServer = class {};'),
  ),
  // Tables of all its schemas, for programs that check messages themselves.
  replaced(/@modelcontextprotocol.server.dist.src-\w+\.mjs$/, (text) =>
    cut(
      text,
      /^\/\/#region \S+specTypeSchema\.ts[\s\S]*?^\/\/#endregion/m,
      'const specTypeSchemas = {}, isSpecType = {};',
    ),
  ),
  ...[/zod.v4.core.to-json-schema\.js$/, /zod.v4.core.json-schema-processors\.js$/].map((module) =>
    replaced(module, (text) =>
      namesIn(text)
        .map((name) => `export const ${name} = () => () => ({});`)
        .join('\n'),
    ),
  ),
];

/** The tars of archiver, without its zips and its search for files. */
const archiverParts = [
  replaced(/archiver.lib.plugins.zip\.js$/, () => 'export default class Zip {}'),
  replaced(/node_modules.readdir-glob.dist.index\.mjs$/, () => 'export default { ReaddirGlob: class {} };'),
  // Of its 120 functions archiver uses one; the form for browsers is the one that leaves the others out.
  replaced(/async.dist.async\.js$/, (_, file) => readFileSync(file.replace(/\.js$/, '.mjs'), 'utf8')),
  // Copies of Node's own streams for browsers and old versions of Node.
  replaced(/node_modules.readable-stream.lib.ours.index\.js$/, () => "module.exports = require('node:stream');"),
  replaced(
    /lazystream.node_modules.readable-stream.passthrough\.js$/,
    () => "module.exports = require('node:stream').PassThrough;",
  ),
];

/** Of 90 spinners ora shows these; conf compares versions only to migrate settings, of which there are none. */
const settingsAndSpinners = [
  replaced(/node_modules.cli-spinners.spinners\.json$/, (text) => {
    const { dots, line } = JSON.parse(text);
    return JSON.stringify({ dots, line });
  }),
  replaced(/node_modules.semver.index\.js$/, () => 'module.exports = {};'),
];

/** Programs are read, and not shown in colors. */
const pythonParts = [
  replaced(/@lezer.python.dist.index\.js$/, (text) =>
    cut(cut(text, /^import .*@lezer\/highlight';$/m, ''), /^const pythonHighlighting = [\s\S]*?^\}\);/m, '').replace(
      'propSources: [pythonHighlighting],',
      '',
    ),
  ),
];

/**
 * jq as a file of its own that is compressed: in the module it would be text, which is a third larger and compresses badly.
 * @param {string} folder of the program
 */
function jqFile(folder) {
  return replaced(/src.kernel.output.jq-wasm\.ts$/, () => {
    const name = compressedFile(folder, 'jq', readFileSync(require.resolve('jq-wasm/jq.wasm')));
    return [
      "import { promisify } from 'node:util';",
      "import { brotliDecompress } from 'node:zlib';",
      `import { readOwnBytes } from ${JSON.stringify(ownFiles)};`,
      `export const readJq = () => promisify(brotliDecompress)(readOwnBytes('${name}'));`,
    ].join('\n');
  });
}

const ownFiles = resolve('src/own-files.ts');

/**
 * Writes WebAssembly beside the program, and returns the name of the file. Compressing takes seconds, so the result is
 * kept for the next build.
 * @param {string} folder
 * @param {string} name
 * @param {Buffer} wasm
 */
function compressedFile(folder, name, wasm) {
  const kept = `node_modules/.cache/gantry/${createHash('sha256').update(wasm).digest('hex')}.br`;
  if (!existsSync(kept)) {
    mkdirSync(dirname(kept), { recursive: true });
    const params = { [constants.BROTLI_PARAM_LGWIN]: 22, [constants.BROTLI_PARAM_SIZE_HINT]: wasm.length };
    writeFileSync(kept, brotliCompressSync(wasm, { params }));
  }
  cpSync(kept, join(folder, `${name}.wasm.br`));
  return `${name}.wasm.br`;
}

/** @param {string} folder of the program */
export function libraryParts(folder) {
  return [
    ...undiciParts,
    ...oneParser(folder),
    ...mcpParts,
    ...archiverParts,
    ...settingsAndSpinners,
    ...pythonParts,
    jqFile(folder),
  ];
}

/**
 * Replaces the text of one module. A library without it fails the build.
 * @param {RegExp} module
 * @param {(text: string, file: string) => string} text
 * @returns {Plugin}
 */
function replaced(module, text) {
  let isFound = false;
  return {
    name: `part of ${module.source}`,
    load(id) {
      if (!module.test(id)) return undefined;
      isFound = true;
      return text(readFileSync(id, 'utf8'), id);
    },
    buildEnd() {
      if (!isFound) throw new Error(`${module.source} is not in the program any more: build/library-parts.js is stale`);
    },
  };
}

/**
 * @param {string} text
 * @param {RegExp} part
 * @param {string} rest
 */
function cut(text, part, rest) {
  const result = text.replace(part, rest);
  if (result === text) throw new Error(`found no ${part.source} to cut: build/library-parts.js is stale`);
  return result;
}

/** What a module exports. @param {string} text */
function namesIn(text) {
  return [...text.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name]) => name);
}
