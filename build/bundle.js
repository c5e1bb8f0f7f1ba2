// Bundles src as CommonJS, which Node starts faster than ES modules (docs/decisions/0002).
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';
import { asciiChunks } from './ascii.js';
import { flatCommander } from './commander.js';
import { libraryParts } from './library-parts.js';
import { noticesFor } from './notices.js';
import { keepOwnLines } from './own-maps.js';
import { writeTestingTypes } from './testing-types.js';
import { withoutSchemas } from './without-schemas.js';

/** @import { InputOptions, OutputOptions, Plugin } from 'rolldown' */

/**
 * Writes the program: one small entry, one chunk with what nearly every command loads, and a chunk for each command.
 * @param {string} folder removed first
 * @param {Plugin[]} [plugins] for a program that differs from the usual one (bench/variant.js)
 */
export async function bundle(folder, plugins = []) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const program = await rolldown({
    ...input,
    plugins: [...plugins, texts, flatCommander, withoutSchemas, ...libraryParts(folder), asciiChunks],
    input: ['src/main.ts', 'src/cli/code-cache.ts'],
    external: [/^node:/, 'string-width'],
    preserveEntrySignatures: 'allow-extension',
  });
  const written = await program.write({
    ...output(folder),
    // Opening a file takes longer than reading it. Without these groups `apps list` takes 10 ms more.
    codeSplitting: {
      groups: [
        {
          name: 'main',
          test: /src.(main|platform.config.folders|cli.program.(prepared-)?help(-layout)?|kernel.output.(wrap-text|display-width))\.ts$/,
        },
        { name: 'program', test: (id) => common.includes(id) },
        { name: 'disk', test: /src.kernel.disk.(?!writable|claims|announce)[^/\\]*\.ts$/ },
        { name: 'waiting', test: /src.platform.waiting./ },
        { name: 'mcp-sdk', test: /node_modules.(@modelcontextprotocol|zod)/ },
      ],
    },
    // import() would load Node's loader of ES modules, even for node:http.
    dynamicImportInCjs: false,
    paths: { 'string-width': './string-width.cjs' },
  });

  // Parsing its tables takes 20 ms: a file of its own, loaded for text beyond ASCII (src/kernel/output/wrap-text.ts) and by ora,
  // which ask for its default export in different ways.
  const widths = await rolldown({ ...input, input: { 'string-width': 'string-width' } });
  const alone = await widths.write({
    ...output(folder),
    exports: 'default',
    footer: 'module.exports.default = module.exports;',
  });

  // The kit for people's tests, which imports nothing of the program.
  const kit = await rolldown({ ...input, input: { testing: 'src/testing/index.ts' } });
  await kit.write({ ...output(folder), format: 'es', entryFileNames: '[name].mjs' });
  writeTestingTypes(folder);

  keepOwnLines(folder);

  // Threads and Python programs stay files of their own, where src/own-files.ts looks for them.
  const threads = [];
  for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.py')) cpSync(`src/${file}`, `${folder}/${file}`);
    if (file.endsWith('-worker.mjs')) threads.push(...(await bundleThread(file, folder)));
  }
  const modules = [...written.output, ...alone.output, ...threads].flatMap((part) =>
    'moduleIds' in part ? part.moduleIds : [],
  );
  writeFileSync(`${folder}/THIRD-PARTY-NOTICES.txt`, noticesFor(modules));
}

/**
 * A thread is one file with its libraries, and an ES module: single executables load it as a `data:` URL.
 * @param {string} file
 * @param {string} folder
 */
async function bundleThread(file, folder) {
  // Libraries ask for the path of their file, which a `data:` URL has not, and need none.
  const define = { 'import.meta.url': JSON.stringify('file:///C:/thread.mjs') };
  const transform = { ...input.transform, define };
  const thread = await rolldown({ ...input, transform, plugins: [asciiChunks], input: `src/${file}` });
  const { dir, sourcemap, ...rest } = output(folder);
  return (await thread.write({ ...rest, file: `${folder}/${file}`, format: 'es' })).output;
}

/** What nearly every command loads. A file that has moved fails the build: without its group it would only be slow. */
const common = [
  'cli/program/run-program',
  'cli/program/command-tree',
  'cli/program/create-context',
  'cli/command',
  'platform/api/client',
  'platform/contract/scalars',
  'platform/contract/apps',
  'cli/flags/list',
  'cli/flags/values',
  'kernel/output/table',
  'cli/views/status',
].map((name) => realpathSync(`src/${name}.ts`));

/** @type {InputOptions} */
const input = {
  platform: 'node',
  transform: { target: 'node20' },
  // What only makes a schema of the MCP SDK, if nobody reads it. And modules of ours define things and do nothing else: what
  // an index.ts exports is loaded by those that use it. Packages say themselves what they do.
  treeshake: {
    manualPureFunctions: ['z'],
    moduleSideEffects: (id) => (id.startsWith(realpathSync('src')) ? false : undefined),
  },
  checks: { pluginTimings: false, ineffectiveDynamicImport: false },
};

/**
 * Source maps are files that Node reads only with `--debug` (bin/gantry.cjs). Names of classes are kept: errors show them.
 * @param {string} folder
 * @returns {OutputOptions}
 */
const output = (folder) => ({
  dir: folder,
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name].cjs',
  minify: {
    mangle: { keepNames: { function: false, class: true } },
    compress: true,
    codegen: { removeWhitespace: true },
  },
  sourcemap: true,
  sourcemapExcludeSources: true,
  exports: 'named',
});

/**
 * Imports the text of a file, `'./page.css?raw'`, as vitest does.
 * @type {Plugin}
 */
const texts = {
  name: 'texts',
  async resolveId(source, importer) {
    const file = source.endsWith('?raw') ? await this.resolve(source.slice(0, -4), importer) : undefined;
    return file && `${file.id}?raw`;
  },
  load(id) {
    if (!id.endsWith('?raw')) return undefined;
    return { code: `export default ${JSON.stringify(readFileSync(id.slice(0, -4), 'utf8'))}`, moduleType: 'js' };
  },
};
