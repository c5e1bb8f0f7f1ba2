import { chmod, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { gantry, newFolder, smallApp, temporaryFiles } from '../support/index.ts';

test('writes the archive and prints its path', async () => {
  const parent = inFolder(smallApp());
  const { code, stdout, stderr } = await gantry(['deploy', '--dry-run', '-o', '../web.zip'], { cwd: parent.app });
  expect([code, stdout]).toEqual([0, '../web.zip\n']);
  expect(stderr).toMatch(/Packed 2 files/);
  expect((await readFile(join(parent.path, 'web.zip'))).subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004');
  expect(await readdir(parent.app)).toEqual(Object.keys(smallApp()).sort());
  expect(temporaryFiles()).toEqual([]);
});

test('a partner’s app has nothing to pack', async () => {
  const app = inFolder({
    'cerebrium.toml': `${smallApp()['cerebrium.toml']}[cerebrium.runtime.deepgram]\n`,
  });
  const { code, stdout, stderr } = await gantry(['deploy', '--dry-run', '-o', '../web.zip'], { cwd: app.app });
  expect([code, stdout]).toEqual([10, '']);
  expect(stderr).toContain('web has no files to pack');
  expect(await readdir(app.path)).toEqual(['app']);
});

/** An app in the folder `app` of an own folder. */
function inFolder(files: Record<string, string>) {
  const inside = Object.fromEntries(Object.entries(files).map(([name, text]) => [join('app', name), text]));
  const path = newFolder(inside);
  return { path, app: join(path, 'app') };
}

test('the same content is the same archive on any machine: it is what the platform takes for unchanged', async () => {
  const files = {
    ...smallApp('shell_commands = ["echo 1"]\n[cerebrium.dependencies.paths]\npip = "../shared.txt"\n'),
    'b/ä.txt': 'x'.repeat(5_000),
    'b/z.txt': '1',
    'a.sh': '#!/bin/sh\n',
    'Z.txt': '2',
  };
  const pack = async (
    entries: [string, string][],
    machine: { tz: string; mode: number; env: Record<string, string> },
  ) => {
    const parent = inFolder(Object.fromEntries(entries));
    await writeFile(join(parent.path, 'shared.txt'), 'numpy==2.1.0\n');
    for (const [name] of entries) {
      await chmod(join(parent.app, name), machine.mode);
      await utimes(join(parent.app, name), machine.mode, machine.mode);
    }
    await chmod(join(parent.app, 'a.sh'), machine.mode | 0o100);
    vi.stubEnv('TZ', machine.tz);
    const { code } = await gantry(['deploy', '--dry-run', '-o', '../one.zip'], { cwd: parent.app, env: machine.env });
    vi.unstubAllEnvs();
    expect(code).toBe(0);
    // The archive that was there before is no part of the next one either.
    await gantry(['deploy', '--dry-run', '-o', 'one.zip'], { cwd: parent.app, env: machine.env });
    await gantry(['deploy', '--dry-run', '-o', 'one.zip'], { cwd: parent.app, env: machine.env });
    const [one, again] = [join(parent.path, 'one.zip'), join(parent.app, 'one.zip')];
    return [(await readFile(one)).toString('hex'), (await readFile(again)).toString('hex')];
  };
  const entries = Object.entries(files);
  const commit = { '.git/HEAD': 'ref: refs/heads/main\n', '.git/refs/heads/main': `${'a'.repeat(40)}\n` };
  const one = await pack(entries, { tz: 'UTC', mode: 0o600, env: { USER: 'ada', LANG: 'C' } });
  const other = await pack([...Object.entries(commit), ...entries.toReversed()], {
    tz: 'Asia/Kathmandu',
    mode: 0o664,
    env: { USER: 'bob', LOGNAME: 'bob', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', GITHUB_SHA: 'b'.repeat(40) },
  });
  expect(other).toEqual(one);
  expect(one[1]).toBe(one[0]);
});

test('sends the text of a file of packages that lies above the folder', async () => {
  const parent = inFolder(smallApp('[cerebrium.dependencies.paths]\npip = "../shared.txt"\n'));
  await writeFile(join(parent.path, 'shared.txt'), 'numpy==2.1.0\n');
  const { json } = await gantry(['deploy', '--dry-run', '-o', '../web.zip', '--json'], { cwd: parent.app });
  const sent = expect.objectContaining({ path: 'requirements.txt', crc32: crc32('numpy==2.1.0\n') });
  expect((json() as { entries: object[] }).entries).toContainEqual(sent);
});

test('lists the files with --json', async () => {
  const app = newFolder(smallApp('[cerebrium.dependencies.pip]\nnumpy = "latest"\n'));
  const { json } = await gantry(['deploy', '--dry-run', '--json', '-o', '/dev/null'], { cwd: app });
  const { entries } = json() as { entries: { path: string }[] };
  expect(entries.map(({ path }) => path)).toEqual(['cerebrium.toml', 'main.py', 'requirements.txt']);
  expect((await gantry(['deploy', '--dry-run', '-o', '/dev/null', '--json=bytes'], { cwd: app })).json()).toEqual({
    bytes: expect.any(Number),
  });
});

test('writes the name of --name into the archive', async () => {
  const app = newFolder(smallApp());
  const names = async (flags: string[]) => {
    const { json } = await gantry(['deploy', '--dry-run', '-o', '/dev/null', '--json=entries', ...flags], {
      cwd: app,
    });
    return (json() as { entries: { path: string; crc32: number }[] }).entries.map(({ crc32 }) => crc32);
  };
  const [plain, renamed] = [await names([]), await names(['--name', 'staging'])];
  expect(renamed[0]).not.toBe(plain[0]);
  expect(renamed[1]).toBe(plain[1]);
});

test.each([
  ['the project is invalid', { 'cerebrium.toml': 'nonsense' }, '../web.zip', 10, ''],
  [
    'the file cannot be written',
    smallApp(),
    'no/such/folder/app.zip',
    2,
    /error: cannot write .*no\/such\/folder\/app\.zip/,
  ],
  ['it is interrupted', { ...smallApp(), 'big.bin': 'x'.repeat(3_000_000) }, 'app.zip', 130, ''],
])('leaves no archive if %s', async (what, files, path, exit, said) => {
  const app = newFolder(files);
  const stop = what === 'it is interrupted' ? { stop: /Collected/ } : {};
  expect(await gantry(['deploy', '--dry-run', '-o', path], { cwd: app, ...stop })).toExit(exit, said);
  expect(await readdir(app)).toEqual(Object.keys(files).sort());
});

describe('to stdout', () => {
  test.each(['-', '/dev/stdout'])(
    '%s gets the bytes of the archive, and no file of that name is created',
    async (name) => {
      const app = newFolder({ ...smallApp(), 'big.bin': 'x'.repeat(3_000_000) });
      const before = await readdir(app);
      const { code, bytes, stderr } = await gantry(['deploy', '--dry-run', '-o', name], { cwd: app });
      expect([code, stderr]).toEqual([0, expect.stringMatching(/Packed .* in /)]);
      expect(await readdir(app)).toEqual(before);
      expect(temporaryFiles()).toEqual([]);
      await gantry(['deploy', '--dry-run', '-o', '.app.zip'], { cwd: app });
      expect(bytes.equals(await readFile(join(app, '.app.zip')))).toBe(true);
    },
  );

  test('exits with 2 with --json or on a terminal', async () => {
    const app = newFolder(smallApp());
    const json = await gantry(['deploy', '--dry-run', '-o', '-', '--json'], { cwd: app });
    expect([json.code, json.stderr]).toEqual([2, expect.stringContaining('--json is not supported here')]);
    const terminal = await gantry(['deploy', '--dry-run', '-o', '-'], { cwd: app, columns: 80 });
    expect([terminal.code, terminal.stderr]).toEqual([2, expect.stringContaining('cannot be shown on a terminal')]);
    expect([terminal.stdout, await readdir(app)]).toEqual(['', Object.keys(smallApp()).sort()]);
  });
});
