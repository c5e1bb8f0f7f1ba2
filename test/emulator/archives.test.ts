import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { archiveLimits, readArchive } from '../../src/emulator/running/archives/archive.ts';
import { ArchiveNames } from '../../src/emulator/running/archives/archive-names.ts';
import { unpackZip } from '../../src/emulator/running/archives/unpack.ts';
import { platform, temporaryFolder } from './support/platform.ts';
import { python } from './support/running.ts';
import { type PackedFile, packed } from './support/zip.ts';

const main = { name: 'main.py', content: Buffer.from('def run():\n    return 1\n') };
const zeros = (bytes: number) => Buffer.alloc(bytes);

const broken: [string, PackedFile[], string][] = [
  ['a file that is a folder too', [{ name: 'a' }, { name: 'a/b.txt' }], 'a is both a file and a folder'],
  ['a folder that is a file too', [{ name: 'a/b.txt' }, { name: 'a' }], 'a is both a file and a folder'],
  ['a folder entry of a file', [{ name: 'a' }, { name: 'a/' }], 'a is both a file and a folder'],
  ['a file twice', [{ name: 'a' }, { name: './a' }], 'a is in the archive twice'],
  ['a name of 256 bytes', [{ name: 'é'.repeat(128) }], 'a name is longer than 255 bytes'],
  ['a path of 2,000 bytes', [{ name: `${'a/'.repeat(999)}bc` }], 'a path is longer than 1024 bytes'],
  ['a path out of the folder', [{ name: 'a/../../b' }], '..'],
  ['a path from the root', [{ name: '/etc/passwd' }], 'absolute'],
  ['a path of Windows', [{ name: 'a\\b' }], 'invalid characters'],
  ['a NUL', [{ name: 'a\0b' }], 'NUL'],
  ['no name', [{ name: '.' }], 'does not name a file'],
  ['more than its declared size', [{ name: 'a', content: zeros(3 << 20), size: 100 }], 'a'],
  ['less than its declared size', [{ name: 'a', content: zeros(100), size: 101 }], 'a'],
  [
    'a large list of packages',
    [{ name: 'requirements.txt', content: zeros((1 << 20) + 1) }],
    'requirements.txt is larger',
  ],
];

describe('a deploy with', () => {
  test.each(broken)('%s is a build that fails and says why', async (_, entries, reason) => {
    const { emulator, ask, put } = await platform();
    const { json: created } = await ask('POST', '/apps', { name: 'web' });
    expect((await put(created.uploadUrl, packed([main, ...entries]))).status).toBe(200);
    const path = `/apps/${emulator.project}-web/builds/${created.buildId}`;
    expect((await ask('GET', path)).json.status).toBe('build_failure');
    const { json } = await ask('GET', `${path}/logs`);
    expect(json.logs.at(-1).log).toMatch(/^ERROR: the archive cannot be unpacked: /);
    expect(json.logs.at(-1).log).toContain(reason);
  });
});

describe('an archive', () => {
  test.each(broken)('with %s leaves nothing behind when it is unpacked', async (_, entries) => {
    const folder = temporaryFolder();
    const path = join(folder, 'app.zip');
    writeFileSync(path, packed([main, ...entries]));
    // The limit on package lists applies to builds only.
    if (entries[0]?.name === 'requirements.txt') return;
    await expect(unpackZip(path, join(folder, 'app'))).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(['app.zip']);
  });

  test.each([
    [{ ratioFrom: 1 << 20 }, 'it unpacks to more than 100 times its size'],
    [{ bytes: 1 << 20 }, 'it unpacks to more than 1048576 bytes'],
    [{ entries: 1 }, 'it has more than 1 files'],
  ])('is refused above a limit: %j', async (limits, reason) => {
    const path = join(temporaryFolder(), 'app.zip');
    writeFileSync(path, packed([{ name: 'a', content: zeros(2 << 20) }, { name: 'b' }]));
    await expect(readArchive(path, [], undefined, { ...archiveLimits, ...limits })).rejects.toThrow(reason);
    expect((await readArchive(path, [])).files.get('a')?.size).toBe(2 << 20);
  });

  test.each([0, 0o077])('is unpacked with its modes in a private folder under umask %o', async (mask) => {
    const folder = temporaryFolder();
    const path = join(folder, 'app.zip');
    const large = Buffer.from(Array.from({ length: 3 << 20 }, (_, at) => (at * 7919) >>> 3));
    const entries = [
      { name: 'sub/large.bin', content: large },
      { name: 'run.sh', mode: 0o100755 },
      { name: 'empty', content: zeros(0) },
    ];
    writeFileSync(path, packed(entries));
    const umask = process.umask(mask);
    try {
      await unpackZip(path, join(folder, 'apps/app'));
    } finally {
      process.umask(umask);
    }
    const names = ['..', '', 'sub', 'sub/large.bin', 'run.sh', 'empty'];
    const found = names.map((name) => statSync(join(folder, 'apps/app', name)));
    const modes = found.map(({ mode }) => (mode & 0o777).toString(8));
    expect(modes).toEqual(['700', '755', '755', '644', '755', '644']);
    expect(found.map(({ size }) => size).slice(3)).toEqual([large.length, 1, 0]);
  });

  test('shares files with the version before that are the same, and that nobody has changed since', async () => {
    const folder = temporaryFolder();
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    const files = { same: 'as it was', edited: 'one', written: 'of the app', run: '#!/bin/sh', 'deep/same': '' };
    const archive = (contents: Record<string, string>, mode = 0o600) => {
      const path = join(folder, 'app.zip');
      const entries = Object.entries(contents).map(([name, text]) => ({ name, content: Buffer.from(text), mode }));
      writeFileSync(path, packed(entries));
      return path;
    };
    const before = await unpackZip(archive(files), first);
    writeFileSync(join(first, 'written'), 'of another');
    const path = archive({ ...files, edited: 'two', new: '' });
    const after = await unpackZip(path, second, { before });
    const isShared = (name: string) => statSync(join(first, name)).ino === statSync(join(second, name)).ino;
    expect(Object.keys(files).filter(isShared)).toEqual(['same', 'run', 'deep/same']);
    expect(['edited', 'written', 'new'].map((name) => readFileSync(join(second, name), 'utf8'))).toEqual([
      ...['two', 'of the app', ''],
    ]);
    // Nothing is left of it, and nothing is shared with what is not the same file any more.
    rmSync(second, { recursive: true });
    await unpackZip(archive(files, 0o700), first, { before: after });
    expect([statSync(join(first, 'run')).mode & 0o777, statSync(join(first, 'same')).nlink]).toEqual([0o755, 1]);
  });

  test('takes over the folder of a version that nothing uses, whatever its app has made of it', async () => {
    const folder = temporaryFolder();
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    const [outside, path] = [join(folder, 'outside'), join(folder, 'app.zip')];
    const archive = (contents: Record<string, string>) =>
      writeFileSync(
        path,
        packed(Object.entries(contents).map(([name, text]) => ({ name, content: Buffer.from(text) }))),
      );
    const files = { same: 'as it was', edited: 'one', written: 'of the app', 'a/same': '1', 'b/c/same': '2', d: '3' };
    archive({ ...files, gone: '', 'e/gone': '', 'f/gone': '' });
    const spare = await unpackZip(path, first);
    const { ino } = statSync(join(first, 'same'));
    mkdirSync(join(outside, 'c'), { recursive: true });
    writeFileSync(join(outside, 'c/same'), 'of the user');
    writeFileSync(join(first, 'written'), 'of another');
    mkdirSync(join(first, '__pycache__'));
    writeFileSync(join(first, '__pycache__/main.pyc'), '');
    for (const name of ['b', 'd']) rmSync(join(first, name), { recursive: true });
    symlinkSync(outside, join(first, 'b'));
    mkdirSync(join(first, 'd/deep'), { recursive: true });
    chmodSync(join(first, 'a'), 0o700);
    const now = { ...files, edited: 'two', e: 'a file' };
    archive(now);
    const after = await unpackZip(path, second, { spare });
    const entries = readdirSync(second, { recursive: true, withFileTypes: true });
    const found = entries.filter((entry) => !entry.isDirectory());
    const paths = found.map(({ parentPath, name }) => relative(second, join(parentPath, name)));
    expect(Object.fromEntries(paths.map((name) => [name, readFileSync(join(second, name), 'utf8')]))).toEqual(now);
    expect(readdirSync(second).sort()).toEqual(['a', 'b', 'd', 'e', 'edited', 'same', 'written']);
    expect([statSync(join(second, 'same')).ino, statSync(join(second, 'a')).mode & 0o777]).toEqual([ino, 0o755]);
    expect(readFileSync(join(outside, 'c/same'), 'utf8')).toBe('of the user');
    expect(existsSync(first)).toBe(false);
    // Without the folder, as if there had been none.
    await unpackZip(path, join(folder, 'third'), { spare, before: after });
    expect(statSync(join(folder, 'third/same')).ino).toBe(ino);
  });

  test('with a damaged file is refused, small or large', async () => {
    const path = join(temporaryFolder(), 'app.zip');
    for (const bytes of [2_000, 3 << 20]) {
      const content = Buffer.from(Array.from({ length: bytes }, (_, at) => (at * 7919) >>> 3));
      const archive = packed([{ name: 'a', content }]);
      archive.writeUInt8(archive.readUInt8(60) ^ 0xff, 60);
      writeFileSync(path, archive);
      await expect(readArchive(path, []), `${bytes}`).rejects.toThrow();
      // What an earlier archive had is not read, unless it is asked for.
      const known = () => `${bytes} ${crc32(content)} false`;
      await readArchive(path, [], known);
      await expect(readArchive(path, ['a'], known)).rejects.toThrow();
    }
  });

  test('is read without blocking the event loop', async () => {
    const path = join(temporaryFolder(), 'app.zip');
    writeFileSync(path, packed(Array.from({ length: 1_000 }, (_, at) => ({ name: `d${at % 50}/f${at}` }))));
    let turns = 0;
    const reading = unpackZip(path, join(temporaryFolder(), 'app'));
    let over = false;
    reading.finally(() => {
      over = true;
    });
    while (!over) {
      turns += 1;
      await setTimeout(0);
    }
    await reading;
    expect(turns).toBeGreaterThan(5);
  });
});

test.each([
  [true, ['README', 'readme'], 'readme is in the archive twice'],
  [true, ['A/x', 'a/y', 'a'], 'a is both a file and a folder'],
  [false, ['README', 'readme', 'A/x', 'a/y'], ''],
])('where case is ignored (%s), %j: %j', (ignoresCase, paths, problem) => {
  const names = new ArchiveNames(ignoresCase);
  const add = () => paths.map((path) => names.addFile(path));
  if (problem) expect(add).toThrow(problem);
  else expect(add()).toEqual(paths);
});

test.skipIf(!python)(
  'an archive that is deleted or damaged later is not reported as a bug (needs python3)',
  async () => {
    const data = temporaryFolder();
    const before = await platform({ data });
    await before.deploy();
    await before.emulator.close();
    const { emulator } = await platform({ data, now: Date.now, real: true });
    const [build] = emulator.store.builds.values();
    const path = join(data, 'storage', build?.keyName ?? '');
    const call = async () => {
      const answer = await fetch(`${emulator.url}/v4/${emulator.project}/web/run`, { method: 'POST', body: '{}' });
      return { status: answer.status, text: await answer.text() };
    };
    writeFileSync(path, 'not a zip');
    const answer = await call();
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('its archive cannot be unpacked')]);
    // A later call retries.
    writeFileSync(path, packed([main]));
    expect((await call()).status).toBe(200);
    rmSync(path);
  },
);
