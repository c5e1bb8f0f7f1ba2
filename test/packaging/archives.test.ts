import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tarGz, zip } from '../../packaging/archives.js';
import { newFolder } from '../support/files.ts';

const entries = [
  { name: 'bin/tool', data: Buffer.from('#!/bin/sh\necho hi\n'.repeat(1000)), executable: true },
  { name: 'NOTICE', data: Buffer.from('notice') },
  { name: 'empty', data: Buffer.alloc(0) },
];

test.each([
  ['zip', zip, (file: string) => ['python3', '-m', 'zipfile', '-e', file, '.']],
  ['tar.gz', tarGz, (file: string) => ['tar', '-xzf', file]],
] as const)('a %s has all files, and the same bytes each time', async (name, pack, command) => {
  const place = newFolder();
  const bytes = pack(entries);
  expect(pack(entries).equals(bytes)).toBe(true);
  writeFileSync(join(place, 'archive'), bytes);
  const [program, ...args] = command('archive');
  execFileSync(program ?? '', args, { cwd: place });
  for (const { name, data } of entries) expect(readFileSync(join(place, name)).equals(data)).toBe(true);
  if (name === 'tar.gz') expect(statSync(join(place, 'bin/tool')).mode & 0o777).toBe(0o755);
});
