import { createHash } from 'node:crypto';
import { lstatSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeArchive } from '../../src/app/archive.ts';
import { collectFiles } from '../../src/app/collect.ts';
import { FileChecksums } from '../../src/app/file-checksums.ts';
import type { FileEntry } from '../../src/app/files/entry.ts';
import { trustedDevice } from '../../src/app/packing-cache/file-index.ts';
import { openIndex } from '../../src/app/packing-cache/index.ts';
import { newFolder, onDisk } from '../support/files.ts';

onDisk();

const entry = (root: string, path: string, size = 4) => ({
  path,
  size,
  executable: false,
  source: { file: join(root, path) },
  stats: lstatSync(join(root, path)),
});

const sumsOf = (text: string) => ({
  crc32: crc32(text),
  sha256: createHash('sha256').update(text).digest('hex'),
});
const only = async (checksums: FileChecksums, one: FileEntry) => (await checksums.readAll([one]))[0];

/** What no content has. */
const wrong = { crc32: 7, sha256: '7'.repeat(64) };

/** An app folder and its cache, at a time when its files have been left alone for long enough. */
function setUp(files: Record<string, string | Buffer> = { 'a.txt': 'aaaa', 'b.txt': 'bbbb' }) {
  const root = newFolder(files as Record<string, string>);
  const cache = newFolder({});
  const options = (now = Date.now() + 3_600_000) => ({ cache, root, now });
  return { root, options, isTrusted: trustedDevice(root) !== undefined };
}

/** Remembers a checksum that no content has, so that a test sees whether the file was read. */
async function learnWrong({ root, options }: ReturnType<typeof setUp>, path: string, now?: number): Promise<void> {
  const index = await openIndex(options(now));
  const stats = statSync(join(root, path));
  if (index?.files.canLearn(stats, options(now).now))
    index.files.set(join(root, path), stats, { ...wrong, size: 4, packed: undefined });
  await index?.files.write(index.path);
}

describe('the checksum of a file', () => {
  test('is not computed again if the file has not changed', async () => {
    const app = setUp();
    await learnWrong(app, 'a.txt');
    const checksums = new FileChecksums(app.options());
    expect(await only(checksums, entry(app.root, 'a.txt'))).toEqual(app.isTrusted ? wrong : sumsOf('aaaa'));
    expect(await only(checksums, entry(app.root, 'b.txt'))).toEqual(sumsOf('bbbb'));
    expect(await only(new FileChecksums(), entry(app.root, 'a.txt'))).toEqual(sumsOf('aaaa'));
  });

  const changes: Record<string, (path: string) => void> = {
    'is written again': (path) => writeFileSync(path, 'cccc'),
    'is written again with its old time': (path) => {
      const { atime, mtime } = statSync(path);
      writeFileSync(path, 'cccc');
      utimesSync(path, atime, mtime);
    },
    'is replaced': (path) => {
      writeFileSync(`${path}.new`, 'cccc');
      renameSync(`${path}.new`, path);
    },
    'becomes a link': (path) => {
      writeFileSync(`${path}.target`, 'cccc');
      rmSync(path);
      symlinkSync(`${path}.target`, path);
    },
  };
  test.each(Object.entries(changes))('is computed if the file %s', async (_, change) => {
    const app = setUp();
    await learnWrong(app, 'a.txt');
    change(join(app.root, 'a.txt'));
    expect(await only(new FileChecksums(app.options()), entry(app.root, 'a.txt'))).toEqual(sumsOf('cccc'));
  });

  test('is not remembered of a file that changed within a minute', async () => {
    const app = setUp();
    await learnWrong(app, 'a.txt', Date.now());
    expect(await only(new FileChecksums(app.options()), entry(app.root, 'a.txt'))).toEqual(sumsOf('aaaa'));
  });
});

test('any edits, packings and readings in any order give the checksums and archives that no cache gives', async () => {
  const step = fc.record({
    path: fc.constantFrom('a.txt', 'b.txt', 'c.bin'),
    letter: fc.constantFrom('x', 'y', 'z'),
    next: fc.constantFrom('pack', 'read', 'edit'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const app = setUp({ 'a.txt': 'a'.repeat(1_100_000), 'b.txt': 'b', 'c.bin': 'c' });
      const zip = join(newFolder({}), 'app.zip');
      for (const { path, letter, next } of steps) {
        writeFileSync(join(app.root, path), letter.repeat(path === 'a.txt' ? 1_100_000 : 1));
        if (next === 'edit') continue;
        const { entries } = await collectFiles(app.root, { include: ['**'], exclude: [] });
        const archive = async (cache?: ReturnType<typeof app.options>) =>
          (await writeArchive(entries, zip, { threads: 0, ...(cache && { cache }) })).entries.map(
            ({ crc32, sha256 }) => ({ crc32, sha256 }),
          );
        const checksums = new FileChecksums(app.options());
        const read = await checksums.readAll(entries);
        if (next === 'read') await checksums.save();
        expect(await archive(next === 'pack' ? app.options() : undefined)).toEqual(read);
      }
    }),
    { numRuns: 10, seed: 16 },
  );
});
