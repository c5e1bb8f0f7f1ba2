// Bundles src into dist: one small entry, a chunk for each command. CommonJS starts fastest (docs/decisions/0002).
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { rolldown } from 'rolldown';

/**
 * Imports the text of a file, `'./page.css?raw'`, as vitest does.
 * @type {import('rolldown').Plugin}
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
/**
 * Commander as ES modules: as CommonJS it comes in wrappers that Node parses twice, and it loads at once what starts
 * programs, for commands in files of their own, of which there are none here. Both together are a tenth of a start.
 * @type {import('rolldown').Plugin}
 */
const flatCommander = {
  name: 'flat commander',
  resolveId: (source) => (source === 'commander' ? require.resolve('commander') : undefined),
  transform(code, id) {
    if (!/commander.(lib|index)/.test(id)) return undefined;
    return code
      .replace(/^const childProcess = .*$/m, '')
      .replaceAll('childProcess.spawn', "require('node:child_process').spawn")
      .replace(/^const (.+) = require\(('\..+)\);$/gm, 'import $1 from $2;')
      .replace(/^exports\.program = .*$/m, '')
      .replace(/^exports\.(\w+) = \1;/gm, 'export { $1 };')
      .replace(/^exports\.(\w+) = /gm, 'export const $1 = ');
  },
};
/**
 * Exports as plain properties: none of ours changes after its module has run, and a getter for each takes longer to read.
 * @type {import('rolldown').Plugin}
 */
const plainExports = {
  name: 'plain exports',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      chunk.code = chunk.code.replace(
        /Object\.defineProperty\(exports,"(\w+)",\{enumerable:!0,get:function\(\)\{return ([\w$]+)\}\}\)/g,
        'exports.$1=$2',
      );
    }
  },
};
/** @type {import('rolldown').InputOptions} */
const input = {
  platform: 'node',
  transform: { target: 'node20' },
  checks: { pluginTimings: false, ineffectiveDynamicImport: false },
};
/** @type {import('rolldown').OutputOptions} */
const output = {
  dir: 'dist',
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name].cjs',
  minify: { mangle: { keepNames: true }, compress: true, codegen: { removeWhitespace: true } },
  exports: 'named',
};

const require = createRequire(import.meta.url);
rmSync('dist', { recursive: true, force: true });
const program = await rolldown({
  ...input,
  plugins: [texts, flatCommander, plainExports],
  input: 'src/main.ts',
  external: [/^node:/, 'string-width'],
  preserveEntrySignatures: 'allow-extension',
});
await program.write({
  ...output,
  // Opening a file takes longer than reading it: one for the start, one for what nearly every command loads.
  codeSplitting: {
    groups: [
      { name: 'main', test: /src.main\.ts$/ },
      {
        name: 'program',
        test: /src.(program.[\w-]+|command|api.client|contract.scalars|contract.apps|flags.list|flags.values|output.table)\.ts$/,
      },
    ],
  },
  // A lasting import() would wake up Node's loader of ES modules for the sake of node:http.
  dynamicImportInCjs: false,
  paths: { 'string-width': './string-width.cjs' },
});

// Its tables take 20 ms to parse: a file of its own, for texts that go beyond ASCII (src/output/width.ts) and for ora.
// The two ask for its default export in different ways.
const widths = await rolldown({ ...input, input: { 'string-width': 'string-width' } });
await widths.write({ ...output, exports: 'default', footer: 'module.exports.default = module.exports;' });

// Workers are files of their own: they are started by their path.
for (const folder of [
  'src/project/zip',
  'src/transfer',
  'src/emulator/cortex',
  'src/emulator/run',
  'src/emulator/running',
]) {
  for (const file of readdirSync(folder).filter((name) => /\.(mjs|py)$/.test(name))) {
    copyFileSync(`${folder}/${file}`, `dist/${file}`);
  }
}

// A bare --help needs no parser: its texts are made here, by the parser itself, and read by src/main.ts.
const { commands, flags, groups: summaries } = JSON.parse(await said('reference', '--json=commands,flags,groups'));
/** @type {string[]} */
const names = commands.map((/** @type {{ command: string }} */ { command }) => command);
const groups = names.filter((name) => name.includes(' ')).map((name) => name.split(' ', 1).join());
mkdirSync('dist/help');
for (const name of new Set(['', ...groups, ...names])) {
  const words = name.split(' ').filter(Boolean);
  writeFileSync(`dist/help/${name}.txt`, await said(...words, '--help', '--color=never'));
}

// What a shell may complete is data too (src/completion), and so are the scripts that ask for it.
writeFileSync('dist/typable.json', JSON.stringify({ commands, flags, groups: summaries }));
mkdirSync('dist/completion');
for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
  writeFileSync(`dist/completion/${shell}`, completionScript(shell));
}

/**
 * The library prints its script, so it does that in a process of its own. Its script for bash is mended: it could be
 * read only once in a shell, expanded what was typed, and needed a package that not every machine has.
 * @param {string} shell
 */
function completionScript(shell) {
  const program = `import { script } from '@bomb.sh/tab'; script(${JSON.stringify(shell)}, 'gantry', 'gantry');`;
  const script = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  if (shell !== 'bash') return script;
  return script
    .replace(/^readonly /gm, '')
    .replace('_get_comp_words_by_ref -n "=:" cur prev words cword', `cur="\${COMP_WORDS[COMP_CWORD]#=}"`)
    .replace(/\$\{words\[@\]:1\}/, `$(printf '%q ' "\${COMP_WORDS[@]:1:COMP_CWORD}")`)
    .replace(/ +# Add an empty[\s\S]*?fi\n/, '')
    .replace('complete -F', 'complete -o default -F');
}

/** @param {string[]} words */
async function said(...words) {
  const { main, processIo } = createRequire(import.meta.url)('./dist/main.cjs');
  let text = '';
  const stdout = {
    write(/** @type {string} */ part, /** @type {() => void} */ done) {
      text += part;
      done();
    },
  };
  const code = await main(words, { ...processIo(), stdout });
  if (code !== 0) throw new Error(`gantry ${words.join(' ')} ended with ${code}`);
  return text;
}
