import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { installNotes, publishedManifest } from '../../packaging/owner.js';

test('a release has the addresses of its owner', () => {
  expect(publishedManifest('Ada')).toMatchObject({
    name: 'gantry',
    homepage: 'https://github.com/Ada/gantry#readme',
    repository: { type: 'git', url: 'git+https://github.com/Ada/gantry.git' },
    author: 'Ada',
  });
  expect(installNotes('Ada')).toContain('`brew install Ada/tap/gantry`');
  expect(installNotes('Ada')).toContain('ghcr.io/ada/gantry deploy');
});

test('without an owner there are no addresses, and no release', () => {
  expect(publishedManifest('')).not.toHaveProperty('repository');
  expect(installNotes('')).toBe('');
  const { GANTRY_OWNER: _, ...env } = process.env;
  const { status, stderr } = spawnSync(process.execPath, ['packaging/release.js', '--final'], {
    env,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('GANTRY_OWNER') });
});

test.each(['package.json', 'README.md', 'action.yml', 'docs/install.md', 'docs/releasing.md', 'packaging/install.sh'])(
  '%s has no placeholder',
  (file) => {
    expect(readFileSync(file, 'utf8')).not.toMatch(/(?<!\w)OWNER\b/);
  },
);
