import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { readArchive, unpackZip } from '../../src/emulator/running/archives.ts';
import { newFolder, platform } from './support/platform.ts';
import { python } from './support/running.ts';
import { type PackedFile, packed } from './support/zip.ts';

const main = { name: 'main.py', content: Buffer.from('def run():\n    return 1\n') };
const zeros = (bytes: number) => Buffer.alloc(bytes);

const broken: [string, PackedFile[], string][] = [
  ['a path out of the folder', [{ name: 'a/../../b' }], '..'],
  ['a path from the root', [{ name: '/etc/passwd' }], 'absolute'],
  ['a path of Windows', [{ name: 'a\\b' }], 'invalid characters'],
  ['a damaged list of packages', [{ name: 'requirements.txt', content: zeros(100), size: 101 }], 'not enough bytes'],
];

const unpackable: [string, PackedFile[], string?][] = [
  ['a file that is a folder too', [{ name: 'a' }, { name: 'a/b.txt' }]],
  ['a folder that is a file too', [{ name: 'a/b.txt' }, { name: 'a' }]],
  ['a file twice', [{ name: 'a' }, { name: './a' }]],
  ['a name of 256 bytes', [{ name: 'é'.repeat(128) }]],
  ['a NUL', [{ name: 'a\0b' }]],
  ['no name', [{ name: '.' }]],
  ['more than its declared size', [{ name: 'a', content: zeros(3 << 20), size: 100 }]],
  ['less than its declared size', [{ name: 'a', content: zeros(100), size: 101 }]],
];

test.each(broken)('a deploy with: %s is a build that fails and says why', async (_, entries, reason) => {
  const { emulator, ask, put } = await platform();
  const { json: created } = await ask('POST', '/apps', { name: 'web' });
  expect((await put(created.uploadUrl, packed([main, ...entries]))).status).toBe(200);
  const path = `/apps/${emulator.project}-web/builds/${created.buildId}`;
  expect((await ask('GET', path)).json.status).toBe('build_failure');
  const { json } = await ask('GET', `${path}/logs`);
  expect(json.logs.at(-1).log).toMatch(/^ERROR: the archive cannot be unpacked: /);
  expect(json.logs.at(-1).log).toContain(reason);
});

describe('an archive', () => {
  test.each([...broken, ...unpackable])('with %s leaves nothing behind when it is unpacked', async (_, entries) => {
    const folder = newFolder();
    const path = join(folder, 'app.zip');
    writeFileSync(path, packed([main, ...entries]));
    await expect(unpackZip(path, join(folder, 'app'))).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(['app.zip']);
  });

  test.each([0, 0o077])('is unpacked with its modes in a private folder under umask %o', async (mask) => {
    const folder = newFolder();
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
    const folder = newFolder();
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
    const after = await unpackZip(path, second, before);
    const isShared = (name: string) => statSync(join(first, name)).ino === statSync(join(second, name)).ino;
    expect(Object.keys(files).filter(isShared)).toEqual(['same', 'run', 'deep/same']);
    expect(['edited', 'written', 'new'].map((name) => readFileSync(join(second, name), 'utf8'))).toEqual([
      ...['two', 'of the app', ''],
    ]);
    // Nothing is left of it, and nothing is shared with what is not the same file any more.
    rmSync(second, { recursive: true });
    await unpackZip(archive(files, 0o700), first, after);
    expect([statSync(join(first, 'run')).mode & 0o777, statSync(join(first, 'same')).nlink]).toEqual([0o755, 1]);
  });

  test('with a damaged file is refused, small or large', async () => {
    const path = join(newFolder(), 'app.zip');
    for (const bytes of [2_000, 3 << 20]) {
      const content = Buffer.from(Array.from({ length: bytes }, (_, at) => (at * 7919) >>> 3));
      const archive = packed([{ name: 'a', content }]);
      archive.writeUInt8(archive.readUInt8(60) ^ 0xff, 60);
      writeFileSync(path, archive);
      await expect(readArchive(path, ['a']), `${bytes}`).rejects.toThrow();
      await expect(unpackZip(path, join(newFolder(), 'app')), `${bytes}`).rejects.toThrow();
    }
  });

  test('is read without blocking the event loop', async () => {
    const path = join(newFolder(), 'app.zip');
    writeFileSync(path, packed(Array.from({ length: 1_000 }, (_, at) => ({ name: `d${at % 50}/f${at}` }))));
    let turns = 0;
    const reading = unpackZip(path, join(newFolder(), 'app'));
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

test.skipIf(!python)(
  'an archive that is deleted or damaged later is not reported as a bug (needs python3)',
  async () => {
    const data = newFolder();
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
    await expect(call()).toAnswer(503, 'its archive cannot be unpacked');
    // A later call retries.
    writeFileSync(path, packed([main]));
    expect((await call()).status).toBe(200);
    rmSync(path);
  },
);
