import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { writeArchive } from '../../src/app/archive.ts';
import { collectFiles } from '../../src/app/collect.ts';
import { DeflatePool } from '../../src/app/deflate/deflate-pool.ts';
import type { Result } from '../../src/app/deflate/deflate-worker.mjs';
import { maxCacheBytes, trimCache } from '../../src/app/packing-cache/cache-folder.ts';
import { trustedDevice } from '../../src/app/packing-cache/file-index.ts';
import { clearPackingCache, packingUsage } from '../../src/app/packing-cache/index.ts';
import { drawnCases } from '../support/extent.ts';
import { newFolder, onDisk } from '../support/files.ts';

onDisk();

let folder: string;
let root: string;
let cache: string;
beforeEach(() => {
  folder = newFolder();
  root = join(folder, 'app');
  cache = join(folder, 'cache');
  mkdirSync(root);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const megabyte = 2 ** 20;
const hour = 3_600_000;
const later = () => Date.now() + hour;
const packing = () => join(cache, 'packing');
const members = () => readdirSync(packing()).filter((name) => name.endsWith('.members'));
const file = (name: string) => join(root, name);

/** Shrinks quickly, and differs for each seed. */
function text(bytes: number, seed = 1): Buffer {
  const content = Buffer.alloc(bytes, 'all work and no play makes jack a dull boy\n');
  for (let at = 0; at < bytes; at += 50_000) content.write(String(seed), at);
  return content;
}

/** Does not shrink. */
function noise(bytes: number, seed = 1): Buffer {
  let state = seed;
  const content = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; at++) {
    state = (state * 48_271) % 2_147_483_647;
    content[at] = state >>> 8;
  }
  return content;
}

/** Enough that a cache is worth it: less is compressed by the time it is open. */
function makeTree(): void {
  for (let at = 0; at < 8; at++) writeFileSync(file(`text-${at}.py`), text(20_000 + at, at + 1));
  writeFileSync(file('noise.bin'), noise(30_000));
  writeFileSync(file('stored.png'), text(10_000));
  writeFileSync(file('empty.py'), '');
  for (let at = 0; at < 6; at++) writeFileSync(file(`tiny-${at}.py`), text(600 * at + 1, at + 1));
  writeFileSync(file('tiny-noise.bin'), noise(300));
  writeFileSync(file('large.txt'), text(megabyte + 200_000, 99));
}

/** Packs with the cache, and says what the threads did, which files they read, and how many small ones they compressed. */
async function pack({ now = later(), cached = true } = {}) {
  const { entries } = await collectFiles(root, { include: ['./*'], exclude: [] });
  const run = vi.spyOn(DeflatePool.prototype, 'run');
  const before = run.mock.calls.length;
  const target = join(folder, `${cached}.zip`);
  await writeArchive(entries, target, { threads: 0, ...(cached && { cache: { cache, root, now } }) });
  const tasks = run.mock.calls.slice(before).map(([task]) => task);
  const read = tasks.flatMap((task) => (task.kind === 'files' ? task.sources : []));
  const results = await Promise.all(run.mock.results.slice(before).map(({ value }) => value as Promise<Result>));
  const packed = results.flatMap(({ files = [] }) => files);
  const compressed = packed.filter((each) => each !== 'known' && 'at' in each && each.deflated).length;
  return { bytes: readFileSync(target), tasks: tasks.map(({ kind }) => kind), read, compressed };
}

async function expectSameArchive(options: { now?: number } = {}) {
  const [plain, packed] = [await pack({ cached: false }), await pack(options)];
  expect(packed.bytes.equals(plain.bytes)).toBe(true);
  return packed;
}

/** Waits for the clock of the file system, whose steps are some milliseconds. */
function nextTick(): void {
  const probe = join(folder, 'probe');
  const changed = () => {
    writeFileSync(probe, 'x');
    return statSync(probe, { bigint: true }).ctimeNs;
  };
  for (const before = changed(); changed() === before; );
}

test('the first archive takes one task for each batch of small files', async () => {
  makeTree();
  rmSync(file('large.txt'));
  for (let at = 0; at < 60; at++) writeFileSync(file(`more-${at}.py`), text(20_000, 100 + at));
  const { tasks } = await expectSameArchive();
  expect([...new Set(tasks)]).toEqual(['files']);
});

describe('a second archive', () => {
  test('is the same, and only what changed is compressed', async () => {
    makeTree();
    await expectSameArchive();
    writeFileSync(file('text-3.py'), text(20_003, 77));
    expect((await expectSameArchive()).compressed).toBe(1);
  });

  test('compresses nothing that was written again with the same content', async () => {
    makeTree();
    await pack();
    for (const name of readdirSync(root)) writeFileSync(file(name), readFileSync(file(name)));
    expect((await expectSameArchive()).compressed).toBe(0);
  });

  test.skipIf(trustedDevice(tmpdir()) === undefined)(
    'reads nothing that has not changed but what is stored or large',
    async () => {
      makeTree();
      for (const name of ['noise.bin', 'stored.png']) rmSync(file(name));
      await pack();
      expect((await pack()).read).toEqual([]);
    },
  );

  test.skipIf(trustedDevice(tmpdir()) === undefined)('compresses a tiny file that changed, and no other', async () => {
    makeTree();
    await pack();
    writeFileSync(file('tiny-3.py'), text(900, 55));
    await expectSameArchive();
    writeFileSync(file('tiny-4.py'), text(2_000, 56));
    const { read } = await expectSameArchive();
    const others = [file('noise.bin'), file('stored.png')];
    expect(read.sort()).toEqual([...others, file('tiny-4.py')].sort());
    expect((await pack()).read.sort()).toEqual(others);
  });

  test.skipIf(trustedDevice(tmpdir()) === undefined)('after a change of every file is known as well', async () => {
    makeTree();
    for (const name of ['noise.bin', 'stored.png']) rmSync(file(name));
    await pack();
    for (const name of readdirSync(root)) writeFileSync(file(name), 'b', { flag: 'a' });
    await pack();
    expect((await pack()).read).toEqual([]);
  });

  test('reads again what had changed within a minute: the next change could have the same time', async () => {
    makeTree();
    await pack({ now: Date.now() });
    expect((await pack()).read).toContain(file('text-1.py'));
  });

  test('changes with one block of a large file', async () => {
    const content = text(3 * megabyte, 5);
    writeFileSync(file('large.txt'), content);
    await pack();
    content.write('changed', megabyte + 10);
    writeFileSync(file('large.txt'), content);
    await expectSameArchive();
    rmSync(file('large.txt'));
    writeFileSync(file('other.txt'), content.subarray(0, 2 * megabyte + 5));
    await expectSameArchive();
  });
});

/** What happens to a tree between two deploys. Each gets a number to choose with. */
const edits: Record<string, (pick: number) => void> = {
  'same size': (pick) => overwrite(name(pick), pick),
  'same size, old time restored': (pick) => {
    const { atime, mtime } = statSync(file(name(pick)));
    overwrite(name(pick), pick);
    utimesSync(file(name(pick)), atime, mtime);
  },
  'other size': (pick) => writeFileSync(file(name(pick)), text(pick % 50_000, pick + 1)),
  'swapped names': (pick) => {
    renameSync(file(name(pick)), file('swap'));
    renameSync(file(name(pick + 1)), file(name(pick)));
    renameSync(file('swap'), file(name(pick + 1)));
  },
  'hard link': (pick) => {
    rmSync(file(name(pick)));
    linkSync(file('large.txt'), file(name(pick)));
  },
  'change through a hard link': (pick) => {
    rmSync(join(folder, 'outside'), { force: true });
    // A link to a symbolic link would lead elsewhere from there.
    linkSync(realpathSync(file(name(pick))), join(folder, 'outside'));
    overwrite('../outside', pick);
  },
  'symbolic link': (pick) => {
    rmSync(file(name(pick)));
    symlinkSync('text-7.py', file(name(pick)));
  },
  mode: (pick) => chmodSync(file(name(pick)), 0o755),
  appended: (pick) => writeFileSync(file(name(pick)), text(200, pick + 1), { flag: 'a' }),
  'large file': (pick) => overwrite('large.txt', pick),
  'does not shrink any more': (pick) => writeFileSync(file(name(pick)), noise(20_000, pick + 1)),
};

/** The last of those with text is the target of links. */
const name = (pick: number) => (pick % 3 === 0 ? `tiny-${pick % 5}.py` : `text-${pick % 7}.py`);

function overwrite(path: string, pick: number): void {
  const { size } = statSync(file(path));
  writeFileSync(file(path), text(size, pick + 2), { flag: 'r+' });
}

test('any sequence of edits gives the archive that packing without a cache gives', async () => {
  const edit = fc.tuple(fc.constantFrom(...Object.keys(edits)), fc.nat(1_000_000));
  const rounds = fc.array(fc.array(edit, { maxLength: 3 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(rounds, async (history) => {
      rmSync(root, { recursive: true });
      mkdirSync(root);
      makeTree();
      nextTick();
      await pack();
      for (const changes of history) {
        for (const [kind, pick] of changes) edits[kind]?.(pick);
        nextTick();
        await expectSameArchive();
      }
    }),
    { numRuns: drawnCases(5, 10) },
  );
}, 120_000);

describe('the cache', () => {
  test('is private', async () => {
    makeTree();
    await pack();
    expect(statSync(packing()).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(packing())) expect(statSync(join(packing(), name)).mode & 0o777).toBe(0o600);
  });

  test('damaged anywhere, is never sent, and mends itself', async () => {
    makeTree();
    const plain = await pack({ cached: false });
    await pack();
    const size = statSync(join(packing(), members()[0] ?? '')).size;
    for (const at of [0, 1_000, Math.floor(size / 2), size - 200, size - 1]) {
      const [name = ''] = members();
      const content = readFileSync(join(packing(), name));
      content[at] = (content[at] ?? 0) ^ 0x10;
      writeFileSync(join(packing(), name), content);
      expect((await pack()).bytes.equals(plain.bytes)).toBe(true);
      expect((await pack()).bytes.equals(plain.bytes)).toBe(true);
      expect(members()).toHaveLength(1);
    }
  });

  test.each<[string, (path: string) => void]>([
    ['truncated', (path) => truncateSync(path, 5_000)],
    ['empty', (path) => truncateSync(path)],
    ['removed', (path) => rmSync(path)],
  ])('with a file that is %s, is of no harm', async (_, harm) => {
    makeTree();
    await pack();
    for (const name of readdirSync(packing())) harm(join(packing(), name));
    await expectSameArchive();
  });

  test('does not believe an index that was changed', async () => {
    makeTree();
    await pack();
    const index = readdirSync(packing()).find((name) => name.endsWith('.files')) ?? '';
    const content = readFileSync(join(packing(), index));
    writeFileSync(join(packing(), index), String(content).replaceAll(/"crc32":\d+/g, '"crc32":7'));
    await expectSameArchive();
  });

  test.each<[string, number]>([
    ['is a file', 0o700],
    ['is writable for others', 0o777],
  ])('does not keep an archive from being written if its folder %s', async (_, mode) => {
    mkdirSync(cache);
    if (mode === 0o700) writeFileSync(packing(), '');
    else mkdirSync(packing());
    chmodSync(packing(), mode);
    makeTree();
    await expectSameArchive();
    expect(packingUsage(cache).files).toBe(0);
  });

  test('is used by several packings at a time', async () => {
    makeTree();
    const plain = await pack({ cached: false });
    const { entries } = await collectFiles(root, { include: ['./*'], exclude: [] });
    const targets = [1, 2, 3, 4].map((number) => join(folder, `${number}.zip`));
    const options = { threads: 0, cache: { cache, root, now: later() } };
    for (let round = 0; round < 2; round++) {
      await Promise.all(targets.map((target) => writeArchive(entries, target, options)));
      for (const target of targets) expect(readFileSync(target).equals(plain.bytes)).toBe(true);
    }
  });

  test('keeps one file of an app, however often it changes', async () => {
    makeTree();
    for (let at = 0; at < 20; at++) {
      writeFileSync(file('text-0.py'), text(20_000, 1_000 + at));
      await pack();
    }
    expect(members()).toHaveLength(1);
    await expectSameArchive();
  });

  test('leaves what files compress to where it is, unless one is new; then the rest moves with it', async () => {
    makeTree();
    await pack();
    const inode = () => statSync(join(packing(), members()[0] ?? '')).ino;
    const first = inode();
    for (const name of readdirSync(root)) writeFileSync(file(name), readFileSync(file(name)));
    await pack();
    expect(inode()).toBe(first);
    writeFileSync(file('text-3.py'), text(20_003, 77));
    await pack();
    expect(inode()).not.toBe(first);
    expect((await expectSameArchive()).compressed).toBe(0);
  });

  test('removes what was not used for the longest time, and what a killed process left', () => {
    mkdirSync(packing(), { recursive: true });
    const now = Date.now();
    const add = (name: string, days: number) => {
      writeFileSync(join(packing(), name), Buffer.alloc(1_000));
      utimesSync(join(packing(), name), now / 1000 - days * 86_400, now / 1000 - days * 86_400);
    };
    for (const [name, days] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['d', 400],
    ] as const)
      add(`${name}.members`, days);
    add(`.gantry-${'0'.repeat(16)}-0`, 2);
    add(`.gantry-${'1'.repeat(16)}-0`, 0);
    add('old.files', 100);
    trimCache(packing(), 10_000, now);
    expect(readdirSync(packing()).sort()).toEqual([
      `.gantry-${'1'.repeat(16)}-0`,
      ...'abc'.split('').map((each) => `${each}.members`),
    ]);
    trimCache(packing(), 3_000, now);
    expect(
      readdirSync(packing())
        .filter((name) => name.endsWith('.members'))
        .sort(),
    ).toEqual(['a.members', 'b.members']);
    expect(maxCacheBytes(packing())).toBeLessThanOrEqual(2 ** 31);
  });

  test('is cleared', async () => {
    makeTree();
    await pack();
    expect(clearPackingCache(cache)).toMatchObject({ files: 2 });
    expect(packingUsage(cache)).toMatchObject({ folder: packing(), files: 0, bytes: 0 });
    expect(clearPackingCache(cache).files).toBe(0);
  });
});
