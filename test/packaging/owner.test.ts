import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { installNotes, publishedManifest } from '../../packaging/owner.js';
import { releaseNames } from '../../src/kernel/version.ts';

const names = { repository: 'Ada/gantry', npm: '@ada/gantry', pypi: 'ada-gantry', pytest: 'pytest-ada' };

test('a release has the addresses of its owner', () => {
  expect(publishedManifest(names)).toMatchObject({
    name: '@ada/gantry',
    homepage: 'https://github.com/Ada/gantry#readme',
    repository: { type: 'git', url: 'git+https://github.com/Ada/gantry.git' },
    author: 'Ada',
  });
  expect(installNotes(names)).toContain('`brew install Ada/tap/gantry`');
  expect(installNotes(names)).toContain('ghcr.io/ada/gantry deploy');
});

test('what is published has no script that npm would run or warn of', () => {
  expect(publishedManifest(names)).not.toHaveProperty('scripts');
});

test('without names there are no addresses, and no release', () => {
  const none = { repository: null, npm: null, pypi: null, pytest: null };
  expect(publishedManifest(none)).not.toHaveProperty('repository');
  expect(installNotes(none)).toBe('');
  const words = ['packaging/release.js', '--final'];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  const missing = Object.entries(releaseNames).filter(([, value]) => value === null);
  expect(status).toBe(1);
  for (const [name] of missing) expect(stderr).toContain(`release-names.json has no ${name} `);
});

test.each([
  'package.json',
  'README.md',
  'action.yml',
  'docs/install.md',
  'docs/internals/releasing.md',
  'packaging/install.sh',
])('%s has no placeholder', (file) => {
  expect(readFileSync(file, 'utf8')).not.toMatch(/(?<!\w)OWNER\b/);
});
