import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { writeArchive } from '../../../src/app/archive.ts';
import type { FileEntry } from '../../../src/app/files/entry.ts';
import { readRequirements } from '../../../src/app/requirements.ts';
import { compareFiles } from '../../../src/deploys/send/plan.ts';
import { openRegular, openRegularSync, readRegular, readRegularSync } from '../../../src/kernel/disk/index.ts';
import { Hasher } from '../../../src/storage/transfer/hash.ts';
import { newFolder, noise } from '../../support/files.ts';

const message = 'it is no longer a regular file';

/** A FIFO to which nobody writes. */
function newFifo(): string {
  const path = join(newFolder(), 'fifo');
  execFileSync('mkfifo', [path]);
  return path;
}

test('reads a regular file', async () => {
  const path = join(newFolder({ a: 'content' }), 'a');
  expect(readRegularSync(path)).toBe('content');
  expect(String(await readRegular(path))).toBe('content');
  await expect(openRegular(`${path}x`)).rejects.toMatchObject({ code: 'ENOENT' });
});

describe.skipIf(process.platform === 'win32')('other files are errors, without waiting', () => {
  test.each([
    ['a FIFO', newFifo],
    ['a device', () => '/dev/null'],
    ['a folder', () => newFolder()],
  ])('%s', async (_, make) => {
    const path = make();
    await expect(openRegular(path)).rejects.toThrow(message);
    await expect(readRegular(path)).rejects.toThrow(message);
    expect(() => openRegularSync(path)).toThrow(message);
  });

  test('a socket', async () => {
    const path = join(newFolder(), 'socket');
    const server = createServer().listen(path);
    onTestFinished(() => void server.close());
    await new Promise((done) => server.once('listening', done));
    await expect(openRegular(path)).rejects.toThrow(message);
    expect(() => openRegularSync(path)).toThrow(message);
  });
});

describe.skipIf(process.platform === 'win32')(
  'a file that became a FIFO after it was listed is an error with its name',
  () => {
    /** A file as it was listed. */
    const listed = (size: number): FileEntry => ({
      path: 'data/a',
      size,
      executable: false,
      source: { file: newFifo() },
    });

    test.each([
      [10, 0],
      [10, 1],
      [2_000_000, 0],
      [2_000_000, 1],
    ])('in an archive (%i bytes, %i threads)', async (size, threads) => {
      const zip = join(newFolder(), 'app.zip');
      await expect(writeArchive([listed(size)], zip, { threads })).rejects.toMatchObject({
        message: 'cannot read data/a',
        facts: { why: message },
      });
    });

    test('in the comparison with the last build', async () => {
      const remote = [{ path: 'data/a', size: 3, crc32: crc32('abc') }];
      await expect(compareFiles([listed(3)], remote, new AbortController().signal)).rejects.toThrow(message);
    });

    test('in a list of packages', async () => {
      await expect(readRequirements(listed(3), () => {})).rejects.toThrow(message);
    });

    test('on a thread that computes MD5s', async () => {
      const hasher = new Hasher(1);
      onTestFinished(() => hasher.close());
      const path = join(newFolder({ a: noise(10) }), 'a');
      expect(await hasher.hashFile(path, 0, 10)).toMatch(/^[0-9a-f]{32}$/);
      rmSync(path);
      execFileSync('mkfifo', [path]);
      await expect(hasher.hashFile(path, 0, 10)).rejects.toThrow(message);
    });
  },
);
