import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newFolder } from '../support/files.ts';

// npm and gh are scripts here that note what they are called with, and answer from files.
const stub = (name: string) => `#!/bin/sh
echo "${name} $*" >> "$STATE/calls"
case "$*" in
  'view '*) cat "$STATE/published" 2> /dev/null || { echo 'npm error code E404' >&2; exit 1; } ;;
  'release view '*) cat "$STATE/assets" 2> /dev/null || { echo 'release not found' >&2; exit 1; } ;;
  'release download '*) cat "$STATE/sums" ;;
  *"$FAILS"*) test -z "$FAILS" ;;
esac
`;

const sums = 'abc  gantry.tar.gz\n';
const integrity = `"sha512-${createHash('sha512').update('package').digest('base64')}"`;

function publish(part: string, state: Record<string, string> = {}, fails = '') {
  const folder = newFolder({
    ...Object.fromEntries(['npm', 'gh'].map((name) => [`bin/${name}`, stub(name)])),
    ...Object.fromEntries(Object.entries(state).map(([name, text]) => [`state/${name}`, text])),
    'state/calls': '',
    'release/gantry-0.1.0.tgz': 'package',
    'release/gantry.tar.gz': 'program',
    'release/SHA256SUMS': sums,
    'release/NOTES.md': 'new',
  });
  for (const name of ['npm', 'gh']) chmodSync(join(folder, 'bin', name), 0o755);
  const path = [join(folder, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
  const env = { PATH: path, STATE: join(folder, 'state'), FAILS: fails };
  const args = ['packaging/publish.js', part, join(folder, 'release')];
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  const calls = existsSync(join(folder, 'state/calls')) ? readFileSync(join(folder, 'state/calls'), 'utf8') : '';
  return { status, stderr, calls: calls.replaceAll(folder, '').split('\n').filter(Boolean) };
}

describe.skipIf(process.platform === 'win32')('a release that is run again', () => {
  test('publishes the package once', () => {
    expect(publish('npm').calls.at(-1)).toBe('npm publish /release/gantry-0.1.0.tgz --provenance');
    expect(publish('npm', { published: integrity })).toMatchObject({
      status: 0,
      calls: [expect.stringContaining('view')],
    });
  });

  test('does not take another package of this version for its own', () => {
    const { status, stderr } = publish('npm', { published: '"sha512-other"' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('another gantry@')]);
  });

  test('makes a draft, and shows it when all files are there', () => {
    const { status, calls } = publish('github');
    expect(status).toBe(0);
    expect(calls.map((call) => call.split(' ')[2])).toEqual(['view', 'create', 'upload', 'edit']);
    expect(calls[1]).toContain('--draft');
    expect(publish('github', {}, 'upload').status).toBe(1);
  });

  test('uploads only the files that are missing', () => {
    const { status, calls } = publish('github', { assets: 'SHA256SUMS\ngantry.tar.gz\n', sums });
    expect([status, calls.find((call) => call.includes('upload'))]).toEqual([
      0,
      expect.stringMatching(/upload v\S+ \/release\/gantry-0\.1\.0\.tgz$/),
    ]);
    expect(publish('github', { assets: 'SHA256SUMS\n', sums: 'other' }).status).toBe(1);
  });
});
