import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gantry, keys, newFolder } from '../support/index.ts';

test('creates an app that passes the check and deploys', async () => {
  const place = newFolder();
  const { code, stdout, stderr } = await gantry(['init', 'my-app'], { cwd: place });
  expect([code, stdout]).toEqual([0, 'my-app/cerebrium.toml\nmy-app/main.py\n']);
  expect(stderr).toBe('next: cd my-app && gantry deploy --local\n');
  const check = await gantry(['check', '--strict', '--json'], { cwd: join(place, 'my-app') });
  expect(check.json()).toMatchObject({ valid: true, app: 'my-app', problems: [] });
  expect(await config(join(place, 'my-app'))).toContain('disable_auth = false');
});

test.each(['prod.toml', 'envs/prod.toml', '../prod.toml'])(
  'writes the config file that --config-file names: %s',
  async (file) => {
    const place = newFolder();
    const words = ['init', 'web', '--config-file', file];
    const { code, stdout, stderr } = await gantry(words, { cwd: place });
    expect([code, stdout]).toEqual([0, `${join('web', file)}\nweb/main.py\n`]);
    expect(stderr).toBe(`next: cd web && gantry deploy --local --config-file ${file}\n`);
    const check = await gantry(['check', '--strict', '--json', '--config-file', file], { cwd: join(place, 'web') });
    expect(check.json()).toMatchObject({ valid: true, app: 'web', problems: [] });
    expect(await gantry(words, { cwd: place })).toExit(7, `error: ${file} already exists in ${join(place, 'web')}`);
    expect(await gantry([...words, '--ci', 'github'], { cwd: place })).toExit(2, 'cannot be combined');
  },
);

test('names a folder that cd takes for no flag', async () => {
  const { stderr } = await gantry(['init', '--', '-dash'], { cwd: newFolder() });
  expect(stderr).toBe('next: cd ./-dash && gantry deploy --local\n');
});

test('with -C, the next line works where it is typed', async () => {
  const place = newFolder({ 'sub/x.txt': '' });
  const [below, there] = await Promise.all([
    gantry(['-C', 'sub', 'init', 'web'], { cwd: place }),
    gantry(['init', '-C', 'sub'], { cwd: place }),
  ]);
  expect(below.stderr).toBe('next: gantry deploy -C sub/web --local\n');
  expect(there.stderr).toBe('next: gantry deploy -C sub --local\n');
});

test('lists the written files with --json', async () => {
  const { json } = await gantry(['init', 'x', '--json=paths'], { cwd: newFolder() });
  expect(json()).toEqual({ paths: ['x/cerebrium.toml', 'x/main.py'] });
});

test('flags set name, hardware, Python version and region', async () => {
  const place = newFolder();
  const flags = ['--name', 'My App!', '--compute', 'ADA_L4', '--python', '3.11', '--region', 'eu-west-1'];
  expect((await gantry(['init', ...flags], { cwd: place })).code).toBe(0);
  const text = await config(place);
  for (const line of [
    'name = "my-app"',
    'compute = "ADA_L4"',
    'gpu_count = 1',
    'python_version = "3.11"',
    'region = "eu-west-1"',
  ]) {
    expect(text).toContain(line);
  }
  expect((await gantry(['check', '--strict'], { cwd: place })).code).toBe(0);
});

test('asks for the name on a terminal', async () => {
  const place = newFolder();
  expect(await gantry(['init'], { cwd: place, columns: 80, stdin: keys('Typed Name\r') })).toExit(0, 'App name');
  expect(await config(place)).toContain('name = "typed-name"');
});

test('Enter accepts the name of the folder', async () => {
  const place = newFolder();
  await gantry(['init', 'lovely'], { cwd: place, columns: 80, stdin: keys('\r') });
  expect(await config(join(place, 'lovely'))).toContain('name = "lovely"');
});

test('Ctrl-C at the question writes nothing and exits 130', async () => {
  const place = newFolder();
  const { code } = await gantry(['init'], { cwd: place, columns: 80, stdin: keys('\u0003') });
  expect(code).toBe(130);
  await expect(config(place)).rejects.toThrow('ENOENT');
});

test('--no-input skips the question', async () => {
  const { code, stderr } = await gantry(['init', 'quiet', '--no-input'], {
    cwd: newFolder(),
    columns: 80,
    stdin: keys('x\r'),
  });
  expect(code).toBe(0);
  expect(stderr).not.toContain('App name');
});

test('exits with 7 if a config file exists, and keeps it', async () => {
  const place = newFolder({ 'cerebrium.toml': 'mine' });
  const { code, stderr } = await gantry(['init'], { cwd: place });
  expect(code).toBe(7);
  expect(stderr).toMatch(
    /cerebrium\.toml already exists in .+\n {2}why init does not overwrite files\n {2}fix gantry check -C /,
  );
  expect(await config(place)).toBe('mine');
  const asked = await gantry(['init'], { cwd: place, columns: 80, stdin: keys('x\r') });
  expect([asked.code, asked.stderr]).toEqual([7, expect.not.stringContaining('App name')]);
});

test('keeps existing code', async () => {
  const place = newFolder();
  await writeFile(join(place, 'main.py'), 'mine');
  expect(await gantry(['init'], { cwd: place })).toPrint('cerebrium.toml\n');
  expect(await readFile(join(place, 'main.py'), 'utf8')).toBe('mine');
});

function config(folder: string): Promise<string> {
  return readFile(join(folder, 'cerebrium.toml'), 'utf8');
}

test('fails if a file has the name of the folder', async () => {
  const { code, stderr } = await gantry(['init', 'taken/app'], { cwd: newFolder({ taken: '' }) });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: cannot create the folder \S+: not a directory$/m)]);
});

test.runIf(process.platform === 'linux')('fails if the folder cannot be created', async () => {
  expect(await gantry(['init', '/proc/gantry/app'])).toExit(1, 'cannot create the folder /proc/gantry: ');
});

test.each([
  ['--compute', 'FOO', 'CPU'],
  ['--compute', 'AMPERE_A11', '--compute AMPERE_A10\n'],
  ['--compute', 'A100', 'expected one of AMPERE_A100_40GB, AMPERE_A100_80GB, CPU,'],
  ['--python', '2.7', '3.12'],
])('refuses %s %s, and lists what there is', async (flag, value, said) => {
  const place = newFolder();
  expect(await gantry(['init', 'app', flag, value], { cwd: place })).toExit(2, said);
  await expect(config(join(place, 'app'))).rejects.toThrow('ENOENT');
});

test('accepts hardware in other spellings', async () => {
  const place = newFolder();
  expect((await gantry(['init', '.', '--compute', 'ada-l4'], { cwd: place })).code).toBe(0);
  expect(await config(place)).toContain('compute = "ADA_L4"');
});
