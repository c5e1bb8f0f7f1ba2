// npm run release:check [-- --target linux-x64 …] [-- --final]: makes everything that a release publishes, twice, and
// compares. Publishes nothing. --final also refuses what may not be released: a wrong tag, no names, no change log.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { tarGz } from './archives.js';
import { npm, targets } from './node-binary.js';
import { publishedManifest } from './owner.js';
import releaseNames from './release-names.json' with { type: 'json' };
import { summarize } from './summarize.js';

const { values } = parseArgs({
  options: {
    target: { type: 'string', multiple: true, default: targets },
    final: { type: 'boolean', default: false },
  },
});

const problems = values.final ? obstacles() : [];
for (const problem of problems) process.stderr.write(`error: ${problem}\n`);
if (problems.length > 0) process.exit(1);

const [first, second] = ['release', 'release/again'].map((folder, at) => {
  if (at === 0) rmSync(folder, { recursive: true, force: true });
  return make(folder);
});
rmSync('release/again', { recursive: true });
process.stdout.write(`\n${first}`);
if (first !== second) {
  process.stderr.write(`error: the second time, these differ:\n${second}`);
  process.exitCode = 1;
}

/** @param {string} folder */
function make(folder) {
  mkdirSync(folder, { recursive: true });
  npm('run', 'build', '--silent');
  npm('pack', packageFolder(folder), '--ignore-scripts', '--pack-destination', folder);
  rmSync(`${folder}/package`, { recursive: true });
  writeFileSync(`${folder}/gantry-${manifest.version}-source-maps.tar.gz`, tarGz(sourceMaps()));
  node('packaging/sbom.js', `${folder}/gantry.cdx.json`);
  node('packaging/dist.js', '--out', folder, ...values.target.flatMap((target) => ['--target', target]));
  return summarize(folder);
}

/**
 * The files of the package, with the addresses of the owner.
 * @param {string} folder
 */
function packageFolder(folder) {
  const path = `${folder}/package`;
  mkdirSync(path);
  for (const name of ['bin', 'dist', 'README.md', 'LICENSE']) cpSync(name, `${path}/${name}`, { recursive: true });
  writeFileSync(`${path}/package.json`, `${JSON.stringify(publishedManifest(), undefined, 2)}\n`);
  return `./${path}`;
}

/** Unpacked into the folder dist of an installation, they make stacks of `--debug` name lines of src. */
function sourceMaps() {
  const names = readdirSync('dist').filter((name) => name.endsWith('.map'));
  return names.sort().map((name) => ({ name, data: readFileSync(`dist/${name}`) }));
}

/** @param {string[]} words */
function node(...words) {
  execFileSync(process.execPath, words, { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** Why this commit may not be released. */
function obstacles() {
  const tag = process.env.GITHUB_REF_NAME;
  const { version } = manifest;
  return [
    ...(tag === `v${version}` ? [] : [`the tag is ${tag}, and the version of package.json ${version}`]),
    ...Object.entries(releaseNames).flatMap(([name, value]) =>
      value === null ? [`packaging/release-names.json has no ${name} (docs/internals/releasing.md)`] : [],
    ),
    ...(readFileSync('CHANGELOG.md', 'utf8').includes(`## [${version}]`) ? [] : [`no ${version} in CHANGELOG.md`]),
  ];
}
