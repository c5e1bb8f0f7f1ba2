// npm run check:package: what would be published, checked without publishing it.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { librariesIn } from '../build/notices.js';
import manifest from '../package.json' with { type: 'json' };
import lock from '../package-lock.json' with { type: 'json' };
import nodes from './node.json' with { type: 'json' };
import { npm } from './node-binary.js';

/** A sixth of it is jq, as WebAssembly; what knows causes takes a tenth, as does the help; execa a thirtieth. */
const maxBytes = 1_470_000;
const kit = ['testing.mjs', 'testing/index.d.ts', 'testing/gantry-process.d.ts'];
const made = [...kit, 'main.cjs', 'help.txt', 'gantry.1', 'cerebrium.schema.json', 'THIRD-PARTY-NOTICES.txt'];

const { messages } = await publint({ pkgDir: '.', strict: true });
const published = JSON.parse(npm('publish', '--dry-run', '--json', '--ignore-scripts'));
const problems = [
  ...messages.map((message) => `publint: ${formatMessage(message, manifest)}`),
  ...packageProblems('name' in published ? published : published[manifest.name]),
  ...lockProblems(),
  ...noticeProblems(),
  ...manPageProblems(),
  ...sbomProblems(),
];
for (const problem of problems) process.stderr.write(`error: ${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** @param {{ size: number, files: { path: string }[] }} published */
function packageProblems({ size, files }) {
  process.stdout.write(`package: ${files.length} files, ${size} bytes\n`);
  const paths = new Set(files.map(({ path }) => path));
  const needed = [manifest.bin.gantry, 'LICENSE', 'README.md', ...made.map((file) => `dist/${file}`)];
  return [
    ...(size > maxBytes ? [`the package has ${size} bytes; at most ${maxBytes} are allowed`] : []),
    ...needed.filter((path) => !paths.has(path)).map((path) => `the package lacks ${path}`),
    ...[...paths]
      .filter((path) => path.endsWith('.map'))
      .map((path) => `${path} belongs to the release, not the package`),
    ...('dependencies' in manifest ? ['the package has dependencies: all libraries are bundled'] : []),
    ...('postinstall' in manifest.scripts ? ['the package runs a script when it is installed'] : []),
  ];
}

/** npm leaves the integrity out if the registry does not have a package, and then installs it unchecked. */
function lockProblems() {
  return Object.entries(lock.packages)
    .filter(([path, entry]) => path !== '' && !('integrity' in entry))
    .map(([path]) => `package-lock.json has no integrity for ${path}`);
}

function noticeProblems() {
  const file = 'dist/THIRD-PARTY-NOTICES.txt';
  const names = new Set(existsSync(file) ? librariesIn(readFileSync(file, 'utf8')).map(({ name }) => name) : []);
  const expected = ['commander', 'undici', 'valibot', 'smol-toml', 'uplot', 'conf', '@inquirer/core'];
  return expected.filter((name) => !names.has(name)).map((name) => `${file} lacks ${name}`);
}

/** groff is on most systems with manual pages; without it they are not checked. */
function manPageProblems() {
  const { error, status, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z', 'dist/gantry.1'], {
    encoding: 'utf8',
  });
  if (error) process.stdout.write('groff is not here: the manual page is not checked\n');
  return error || (status === 0 && stderr === '') ? [] : [`dist/gantry.1: ${stderr.split('\n', 1)}`];
}

/** It is the same on each machine: it names neither a folder nor the version of npm. */
function sbomProblems() {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-sbom-'));
  try {
    const file = join(folder, 'gantry.cdx.json');
    execFileSync(process.execPath, ['packaging/sbom.js', file], { stdio: ['ignore', 'ignore', 'inherit'] });
    const { metadata, components } = JSON.parse(readFileSync(file, 'utf8'));
    const named = components.filter((/** @type {{ name: string }} */ { name }) => name === 'node').length;
    const { name } = metadata.component;
    return [
      ...(name === manifest.name ? [] : [`the SBOM is that of ${name}`]),
      ...(JSON.stringify(metadata.tools).includes('"version"') ? ['the SBOM names the version of npm'] : []),
      ...(named === Object.keys(nodes).length ? [] : [`the SBOM has Node for ${named} executables`]),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
