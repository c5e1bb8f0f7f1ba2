import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { releaseNames } from '../../src/kernel/version.ts';
import { ciSystems } from '../../src/local/ci/index.ts';
import { gantry, newFolder } from '../support/index.ts';

/**
 * What looks like a program of ours, as an index or a repository would have it. A path, a file, an address that is computed
 * and `localhost/` are none.
 */
const ours =
  /^["'[(]*(?![./~$]|localhost\/)(?:@?[\w.-]+\/)*(?:pytest-)?gantry(?:[-_][\w-]+)?(?=$|[\s"'`\])@=<>~![:,/])(?!\S*\.(?:tgz|whl|toml|yml|zip))/;

/** Installing commands, and all words after the verb up to the end of the command. */
const commands = [
  /\b(?:npm|pnpm|yarn|bun)\s(?:[\w-]+\s)?(?:i|install|add|exec|dlx|x|up|upgrade|create)\s([^;&|`\n]*)/g,
  /\b(?:npx|bunx|pnpx)\s([^;&|`\n]*)/g,
  /\buvx\s(?:--from\s)?(\S+)/g,
  /\b(?:pip3?|pipx|uv|uv pip|uv tool|brew|gem|cargo|conda)\s(?:install|add|run|inject)\s([^;&|`\n]*)/g,
  /\b(?:docker|podman)\s(?:run|pull|create)\s([^;&|`\n]*)/g,
  /^\s*(?:FROM|- image:|image:)\s+(.*)/gm,
  /\buses:\s*(\S+)/g,
  /\b(?:additional_dependencies|features|repo)"?:\s*(.*)/g,
];

/** Addresses of what indexes hold. */
const addresses =
  /\b(?:unpkg\.com|cdn\.jsdelivr\.net\/npm|esm\.sh|registry\.npmjs\.org|npmjs\.com\/package|pypi\.org\/(?:project|simple|pypi)|ghcr\.io|docker\.io|json\.schemastore\.org|raw\.githubusercontent\.com\/[\w.-]+|github\.com\/[\w.-]+)\/([^\s"'`)]+)/g;

/** The lines that install a program of ours under a name that the setting does not have. */
function unowned(text: string): string[] {
  const owned = new Set(Object.values(releaseNames));
  const isUnowned = (word: string) => ours.test(word) && !owned.has(word.replace(/[@=<>~![].*$/, ''));
  const called = commands.flatMap((pattern) => [...text.matchAll(pattern)]).filter(([all]) => !/--no-index/.test(all));
  return [
    ...called.filter(([, words = '']) => words.split(/\s+|,/).some(isUnowned)),
    ...[...text.matchAll(addresses)].filter(([, path = '']) => isUnowned(path)),
  ].map(([found]) => found.trim());
}

test.each([
  ...['npm install --global gantry', 'npm i -g gantry@1.2.3', 'npx gantry deploy', 'npx --yes gantry@latest x'],
  ...[
    'pip install gantry-cli==0.1.0',
    'pip install --upgrade pytest-gantry',
    'pipx install gantry-cli',
    'yarn up gantry',
  ],
  ...['uv tool install gantry-cli', 'uvx --from gantry-cli gantry', 'pnpm add --global gantry', 'bun add gantry'],
  ...['docker run --rm -e GANTRY_TOKEN gantry deploy', 'docker pull ada/gantry:1', 'FROM gantry', 'image: ada/gantry'],
  ...['uses: ada/gantry@v1', '- uses: ada/gantry/action@v1', 'additional_dependencies: [gantry-cli==0.1.0]'],
  ...['https://unpkg.com/gantry/dist/cerebrium.schema.json', 'ghcr.io/ada/gantry:1', 'brew install ada/tap/gantry'],
  ...['repo: ada/gantry', 'https://pypi.org/project/gantry-cli/', 'https://github.com/ada/gantry'],
])('the law finds %s', (line) => {
  expect(unowned(`a\n${line}\nb`)).toHaveLength(1);
});

test.each([
  ...['npm install && npm link', 'npm ci', 'npm install --global --offline ./.gantry/gantry-0.1.0.tgz', 'npm pack'],
  ...['pip install ~/gantry/packaging/pytest-gantry', 'pip install --no-index --find-links release gantry-cli'],
  ...[
    'npm install --save-dev ~/gantry',
    'docker run --rm localhost/gantry deploy',
    'uses: ./gantry',
    'gantry run x.py',
  ],
  ...[
    'uses: actions/checkout@de0fac2 # v6',
    'npm unlink --global gantry',
    'pip install numpy; gantry deploy',
    'FROM scratch',
  ],
  ...['npm install --global $' + '{npm}@latest', 'npx vitest run test/gantry.test.ts', 'brew upgrade numpy'],
])('the law lets %s pass', (line) => {
  expect(unowned(`a\n${line}\nb`)).toEqual([]);
});

/** Data of the tests, and the past. */
const exempt = /^(?:test|fixtures)\/|^CHANGELOG\.md$|^package-lock\.json$|^src\/causes\/known-modules\.ts$/;

test('no file of the repository installs a name that is not ours', () => {
  const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0').filter(Boolean);
  const isText = (file: string) => !exempt.test(file) && statSync(file, { throwIfNoEntry: false })?.isFile();
  const found = files
    .filter(isText)
    .flatMap((file) => unowned(readFileSync(file, 'utf8')).map((line) => `${file}: ${line}`));
  expect(found).toEqual([]);
});

test('nothing that gantry writes or prints installs a name that is not ours', async () => {
  const place = newFolder();
  const texts: string[] = [];
  for (const system of ciSystems) {
    await gantry(['init', '--agents', '--ci', system], { cwd: place });
    texts.push((await gantry(['init', '--ci', system, '--print'], { cwd: place })).stdout);
  }
  const written = readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((name) => !name.endsWith('.tgz'));
  expect(written).toEqual(expect.arrayContaining(['cerebrium.toml', 'AGENTS.md', '.gitlab-ci.yml']));
  for (const name of written) {
    if (statSync(join(place, name)).isFile()) texts.push(readFileSync(join(place, name), 'utf8'));
  }
  for (const words of [
    ['help', 'agents'],
    ['--version', '--json'],
    ['help', '--json'],
    ['check', '--schema'],
  ]) {
    texts.push((await gantry(words)).stdout);
  }
  expect(texts.flatMap(unowned)).toEqual([]);
});
