import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOf } from '../support/app.ts';
import { gantry } from '../support/gantry.ts';

test('init makes an app that passes the check and deploys as it is', async () => {
  await using place = await folderOf({});
  const { code, stdout, stderr } = await gantry(['init', 'my-app'], { cwd: place.path });
  expect([code, stdout]).toEqual([0, 'my-app/cerebrium.toml\nmy-app/main.py\n']);
  expect(stderr).toBe('next: cd my-app && gantry deploy\n');
  const check = await gantry(['check', '--strict', '--json'], { cwd: join(place.path, 'my-app') });
  expect(check.json()).toMatchObject({ valid: true, app: 'my-app', problems: [] });
  expect(await config(join(place.path, 'my-app'))).toContain('disable_auth = false');
});

test('--json tells what was written', async () => {
  await using place = await folderOf({});
  const { json } = await gantry(['init', 'x', '--json=files'], { cwd: place.path });
  expect(json()).toEqual({ files: ['x/cerebrium.toml', 'x/main.py'] });
});

test('flags settle name, hardware, Python and region', async () => {
  await using place = await folderOf({});
  const flags = ['--name', 'My App!', '--compute', 'ADA_L4', '--python', '3.11', '--region', 'eu-west-1'];
  expect((await gantry(['init', ...flags], { cwd: place.path })).code).toBe(0);
  const text = await config(place.path);
  for (const line of [
    'name = "my-app"',
    'compute = "ADA_L4"',
    'gpu_count = 1',
    'python_version = "3.11"',
    'region = "eu-west-1"',
  ]) {
    expect(text).toContain(line);
  }
});

test('on a terminal the name is asked for', async () => {
  await using place = await folderOf({});
  const { code, stderr } = await gantry(['init'], { cwd: place.path, columns: 80, typed: 'Typed Name\r' });
  expect(stderr).toContain('App name');
  expect(code).toBe(0);
  expect(await config(place.path)).toContain('name = "typed-name"');
});

test('Enter takes the name of the folder', async () => {
  await using place = await folderOf({});
  await gantry(['init', 'lovely'], { cwd: place.path, columns: 80, typed: '\r' });
  expect(await config(join(place.path, 'lovely'))).toContain('name = "lovely"');
});

test('Ctrl-C at the question writes nothing and exits 130', async () => {
  await using place = await folderOf({});
  const { code } = await gantry(['init'], { cwd: place.path, columns: 80, typed: '\u0003' });
  expect(code).toBe(130);
  await expect(config(place.path)).rejects.toThrow('ENOENT');
});

test('--no-input asks nothing on a terminal', async () => {
  await using place = await folderOf({});
  const { code, stderr } = await gantry(['init', 'quiet', '--no-input'], {
    cwd: place.path,
    columns: 80,
    typed: 'x\r',
  });
  expect(code).toBe(0);
  expect(stderr).not.toContain('App name');
});

test('a config file that is there is left as it is: exit 7', async () => {
  await using place = await folderOf({ 'cerebrium.toml': 'mine' });
  const { code, stderr } = await gantry(['init'], { cwd: place.path });
  expect(code).toBe(7);
  expect(stderr).toMatch(
    /cerebrium\.toml already exists in .+\n {2}why init does not overwrite files\n {2}fix gantry check -C /,
  );
  expect(await config(place.path)).toBe('mine');
});

test('code that is there is kept', async () => {
  await using place = await folderOf({});
  await writeFile(join(place.path, 'main.py'), 'mine');
  const { code, stdout } = await gantry(['init'], { cwd: place.path });
  expect([code, stdout]).toEqual([0, 'cerebrium.toml\n']);
  expect(await readFile(join(place.path, 'main.py'), 'utf8')).toBe('mine');
});

function config(folder: string): Promise<string> {
  return readFile(join(folder, 'cerebrium.toml'), 'utf8');
}

test('a file in the way of its folder is an error', async () => {
  await using place = await folderOf({ taken: '' });
  const { code, stderr } = await gantry(['init', 'taken/app'], { cwd: place.path });
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^error: cannot create folder \S+\n {2}why not a directory/),
  ]);
});

test.runIf(process.platform === 'linux')('where no folder can be made it ends, too', async () => {
  const { code, stderr } = await gantry(['init', '/proc/gantry/app']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('cannot create folder /proc/gantry/app')]);
});
