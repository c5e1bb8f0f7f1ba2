import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import type { BuildFile } from '../../../src/deploys/builds/compare-listings.ts';
import { compareFiles } from '../../../src/deploys/send/plan.ts';
import { newFolder } from '../../support/files.ts';

const content = 'print(1)\n';
const size = content.length;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const other = crc32('print(2)\n');

test.each<[string, Omit<BuildFile, 'path'>, boolean]>([
  ['nothing', {}, false],
  ['the same size', { size }, false],
  ['another size', { size: size + 1 }, true],
  ['the same checksum', { crc32: crc32(content) }, false],
  ['another checksum', { crc32: other }, true],
  ['the same size and checksum', { size, crc32: crc32(content) }, false],
  ['the same size and another checksum', { size, crc32: other }, true],
  ['the same SHA-256', { sha256: sha256(content) }, false],
  ['another SHA-256', { sha256: sha256('print(2)\n') }, true],
  ['the same CRC-32 and another SHA-256', { crc32: crc32(content), sha256: sha256('print(2)\n') }, true],
  ['the same SHA-256 and another CRC-32', { crc32: other, sha256: sha256(content) }, true],
  ['no SHA-256', { sha256: '' }, false],
  ['another size and the same checksum', { size: size + 1, crc32: crc32(content) }, true],
])('compares a file with the last build: %s', async (_, known, isChanged) => {
  const sources = { file: { file: join(newFolder({ 'main.py': content }), 'main.py') }, text: { text: content } };
  for (const source of Object.values(sources)) {
    const local = [{ path: 'main.py', size, executable: false, source }];
    const remote = [{ path: 'main.py', ...known }];
    const changes = await compareFiles(local, remote, new AbortController().signal);
    const [changed, unchanged] = isChanged ? [['main.py'], 0] : [[], 1];
    const byCrc32 = isChanged || known.sha256 || known.crc32 === undefined ? 0 : 1;
    const unverified = isChanged || known.sha256 || known.crc32 !== undefined ? 0 : 1;
    expect(changes).toEqual({ added: [], removed: [], changed, unchanged, byCrc32, unverified });
  }
});

test('finds added and removed files without reading them', async () => {
  const local = [{ path: 'new.py', size: 1, executable: false, source: { file: '/nonexistent' } }];
  expect(await compareFiles(local, [{ path: 'old.py', size: 1, crc32: 1 }], new AbortController().signal)).toEqual({
    added: ['new.py'],
    removed: ['old.py'],
    changed: [],
    unchanged: 0,
    byCrc32: 0,
    unverified: 0,
  });
});
