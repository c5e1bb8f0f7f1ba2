import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import yauzl from 'yauzl';
import { withTemporaryArchive, writeArchive } from '../../src/app/archive.ts';
import type { FileEntry } from '../../src/app/files/entry.ts';
import { FailedError, InterruptedError, ProjectError } from '../../src/kernel/errors.ts';
import { newFolder } from '../support/files.ts';

let folder: string;
let zip: string;
beforeEach(() => {
  folder = newFolder();
  zip = join(folder, 'app.zip');
});
function entry(path: string, content: string | Buffer, executable = false): FileEntry {
  if (typeof content === 'string') {
    return { path, size: Buffer.byteLength(content), executable, source: { text: content } };
  }
  const file = join(folder, createHash('sha1').update(path).digest('hex'));
  writeFileSync(file, content);
  return { path, size: content.length, executable, source: { file } };
}

interface Read {
  path: string;
  content: Buffer;
  method: number;
  mode: number;
  crc32: number;
  date: number;
}

/** What another reader finds in it; yauzl compares sizes, and we the checksums. */
async function read(path: string): Promise<Read[]> {
  const archive = await yauzl.openPromise(path, { autoClose: false, strictFileNames: true });
  const found: Read[] = [];
  for await (const each of archive.eachEntry()) {
    const parts: Buffer[] = [];
    for await (const part of await archive.openReadStreamPromise(each)) parts.push(part as Buffer);
    const content = Buffer.concat(parts);
    expect(each.crc32).toBe(crc32(content));
    found.push({
      path: each.fileName,
      content,
      method: each.compressionMethod,
      mode: each.externalFileAttributes >>> 16,
      crc32: each.crc32,
      date: each.lastModFileDate,
    });
  }
  archive.close();
  return found;
}

const hash = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
const words = (bytes: number) => Buffer.alloc(bytes, 'all work and no play makes jack a dull boy\n');

/** Something that deflates, but does not repeat itself. */
const numbers = (bytes: number) => {
  const parts: string[] = [];
  for (let at = 0, size = 0; size < bytes; at++)
    size += parts[parts.push(`${(at * 2654435761) % 4294967296},`) - 1]?.length ?? 0;
  return Buffer.from(parts.join('')).subarray(0, bytes);
};

const mixed = () => [
  entry('README', 'hello'),
  entry('data/big.csv', numbers(3_500_000)),
  entry('data/noise.bin', randomBytes(2_500_000)),
  entry('empty', ''),
  entry('exactly.txt', words(2 ** 20)),
  entry('just-over.txt', words(2 ** 20 + 1)),
  entry('photo.jpg', words(5000)),
  entry('run.sh', '#!/bin/bash\n', true),
  ...Array.from({ length: 50 }, (_, index) => entry(`src/m${index}.py`, words(index * 500))),
];

describe('an archive', () => {
  test('contains all files, compressed only if that helps', async () => {
    const entries = mixed();
    const archive = await writeArchive(entries, zip);
    const found = await read(zip);

    expect(found.map(({ path }) => path)).toEqual(entries.map(({ path }) => path));
    for (const [index, { source }] of entries.entries()) {
      const original = 'text' in source ? Buffer.from(source.text) : readFileSync(source.file);
      expect(found[index]?.content.equals(original)).toBe(true);
    }
    const stored = found.filter(({ method }) => method === 0).map(({ path }) => path);
    expect(stored).toEqual(['README', 'data/noise.bin', 'empty', 'photo.jpg', 'run.sh', 'src/m0.py']);
    expect(archive).toMatchObject({ path: zip, bytes: statSync(zip).size, changed: [] });
    expect(archive.entries.map((each) => each.crc32)).toEqual(found.map((each) => each.crc32));
    const sha256 = ({ content }: Read) => createHash('sha256').update(content).digest('hex');
    expect(archive.entries.map((each) => each.sha256)).toEqual(found.map(sha256));
  });

  test('has two file modes and one date', async () => {
    await writeArchive(mixed(), zip);
    for (const { path, mode, date } of await read(zip)) {
      expect(mode.toString(8)).toBe(path === 'run.sh' ? '100755' : '100644');
      expect(date).toBe(0x21);
    }
  });

  test('is identical on any day, in any time zone, with any number of threads', async () => {
    const entries = mixed();
    await writeArchive(entries, zip, { threads: 0 });
    const expected = hash(zip);
    const { TZ } = process.env;
    process.env.TZ = 'Pacific/Kiritimati';
    for (const { source } of entries) if ('file' in source) utimesSync(source.file, 1e9, 1e9);
    for (const threads of [1, 2, 3]) {
      await writeArchive(entries, zip, { threads });
      expect(hash(zip)).toBe(expected);
    }
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });

  test('of more files than the original format can count is valid', async () => {
    const entries = Array.from({ length: 70_000 }, (_, index) => entry(`f${index}`, 'x'));
    await writeArchive(entries, zip);
    const archive = await yauzl.openPromise(zip);
    expect(archive.entryCount).toBe(70_000);
    archive.close();
  });

  test('reports its progress', async () => {
    const entries = mixed();
    const seen: number[] = [];
    await writeArchive(entries, zip, { onProgress: (bytes) => seen.push(bytes) });
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toBe(entries.reduce((sum, { size }) => sum + size, 0));
  });

  test('of any names and contents can be read back', async () => {
    const name = fc
      .string({ minLength: 1, maxLength: 30, unit: 'grapheme' })
      .filter((text) => !/[\\\0]|^\/|^[a-zA-Z]:|(^|\/)\.\.(\/|$)|\/$/.test(text));
    const content = fc.uint8Array({ maxLength: 3000 }).map((bytes) => Buffer.from(bytes));
    const tree = fc.dictionary(name, content, { maxKeys: 20 });
    await fc.assert(
      fc.asyncProperty(tree, async (files) => {
        await writeArchive(
          Object.entries(files).map(([path, bytes]) => entry(path, bytes)),
          zip,
        );
        const found = await read(zip);
        expect(found.map(({ path, content }) => [path, content])).toEqual(Object.entries(files));
      }),
      { numRuns: 50 },
    );
  });
});

describe('a file that changed since it was collected', () => {
  test.each([
    ['grew a little', 100, 200],
    ['grew large', 100, 3_000_000],
    ['shrank', 3_000_000, 1_200_000],
    ['shrank to a small one', 3_000_000, 10],
    ['was emptied', 3_000_000, 0],
  ])('and %s is packed with its current content, and reported', async (_, before, after) => {
    const file = entry('log.txt', words(before));
    if ('file' in file.source) writeFileSync(file.source.file, words(after));
    const archive = await writeArchive([entry('a', 'x'), file, entry('z', 'y')], zip, { threads: 1 });
    expect(archive.changed).toEqual(['log.txt']);
    const found = await read(zip);
    expect(found.map(({ path, content }) => [path, content.length])).toEqual([
      ['a', 1],
      ['log.txt', after],
      ['z', 1],
    ]);
  });

  test.each([10, 2_000_000])('and was deleted is an error with its name (%i bytes)', async (bytes) => {
    const file = entry('gone.txt', words(bytes));
    if ('file' in file.source) rmSync(file.source.file);
    const failed = writeArchive([entry('a', 'x'), file], zip);
    await expect(failed).rejects.toThrow('gone.txt was deleted while it was packed');
    await expect(failed).rejects.toBeInstanceOf(ProjectError);
    expect(existsSync(zip)).toBe(false);
  });

  test('while it is read, has headers that match what was written', async () => {
    const file = entry('log.txt', numbers(12_000_000));
    const path = 'file' in file.source ? file.source.file : '';
    let cut = false;
    const onProgress = () => {
      if (!cut) truncateSync(path, 9_500_000);
      cut = true;
    };
    await writeArchive([file], zip, { threads: 2, onProgress });
    expect((await read(zip))[0]?.content.length).toBe(9_500_000);
  });
});

describe('a temporary archive', () => {
  const temporary = () => readdirSync(folder).filter((name) => name.startsWith('gantry-'));
  let before: string | undefined;
  beforeEach(() => {
    before = process.env.TMPDIR;
    process.env.TMPDIR = folder;
  });
  afterEach(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  });

  test('is private, and removed afterwards', async () => {
    const bytes = await withTemporaryArchive([entry('a', 'x')], async (archive) => {
      if (process.platform !== 'win32') {
        expect(statSync(archive.path).mode & 0o777).toBe(0o600);
        expect(statSync(join(archive.path, '..')).mode & 0o777).toBe(0o700);
      }
      expect(temporary()).toHaveLength(1);
      return archive.bytes;
    });
    expect(bytes).toBeGreaterThan(100);
    expect(temporary()).toEqual([]);
  });

  test('is removed if its use fails', async () => {
    const failed = withTemporaryArchive([entry('a', 'x')], () => Promise.reject(new Error('upload')));
    await expect(failed).rejects.toThrow('upload');
    expect(temporary()).toEqual([]);
  });

  test('is not blamed for a disk that is full elsewhere', async () => {
    const cause = Object.assign(new Error('no space left on device'), { code: 'ENOSPC', syscall: 'write' });
    const full = new FailedError('cannot write to stdout', { cause });
    const failed = withTemporaryArchive([entry('a', 'x')], () => Promise.reject(full));
    await expect(failed).rejects.toBe(full);
  });

  test.each([0, 2])('is removed after an interrupt, with %i threads', async (threads) => {
    const entries = [entry('big.csv', numbers(10_000_000)), ...mixed()];
    const stop = new AbortController();
    let read = 0;
    const onProgress = (bytes: number) => {
      read = bytes;
      stop.abort(new InterruptedError('stop', 'SIGTERM'));
    };
    const failed = withTemporaryArchive(entries, async () => 'done', { signal: stop.signal, onProgress, threads });
    await expect(failed).rejects.toMatchObject({ exit: 'terminated' });
    // Most of the first file was not even read.
    expect(read).toBeLessThan(5_000_000);
    expect(temporary()).toEqual([]);
  });

  test('is not started after an interrupt', async () => {
    const failed = withTemporaryArchive([], async () => 'done', { signal: AbortSignal.abort() });
    await expect(failed).rejects.toBeInstanceOf(InterruptedError);
    expect(temporary()).toEqual([]);
  });

  test('that cannot be written suggests another folder', async () => {
    process.env.TMPDIR = join(folder, 'missing');
    const failed = withTemporaryArchive([], async () => 'done');
    await expect(failed).rejects.toBeInstanceOf(FailedError);
    const fix = await failed.catch((error: FailedError) => `${error.facts.fix}`);
    expect(fix).toBe('TMPDIR=/a/folder/with/space gantry deploy');
  });

  test.skipIf(!existsSync('/dev/full'))('on a full disk says so', async () => {
    const failed = writeArchive([entry('a', 'x')], '/dev/full');
    await expect(failed).rejects.toThrow('no space left to write /dev/full');
    expect(existsSync('/dev/full')).toBe(true);
  });
});
