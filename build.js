// Bundles src into dist: one small entry, a chunk for each command. CommonJS starts fastest (docs/decisions/0002).
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';

rmSync('dist', { recursive: true, force: true });
const bundle = await rolldown({
  input: 'src/main.ts',
  platform: 'node',
  external: [/^node:/],
  transform: { target: 'node20' },
  checks: { pluginTimings: false },
});
await bundle.write({
  dir: 'dist',
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name].cjs',
  minify: { mangle: false, compress: true, codegen: { removeWhitespace: true } },
  exports: 'named',
});

// Workers are files of their own: they are started by their path.
for (const folder of ['src/project/zip']) {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.mjs'))) {
    copyFileSync(`${folder}/${file}`, `dist/${file}`);
  }
}

// A bare --help needs no parser: its text is made here, and a test compares it with the parser's own.
writeFileSync('dist/help.txt', execFileSync(process.execPath, ['bin/gantry.cjs', '--help', '--color', 'never']));
