import { expect, test } from 'vitest';
import { folderOf, smallApp } from '../support/app.ts';
import { gantry } from '../support/gantry.ts';
import { expectErrorDocument } from '../support/traces.ts';

const odd = { ...smallApp(), 'cerebrium.toml': '[cerebrium.deployment]\nname = "web"\ndisable_auth = true\n' };
const wrong = { 'cerebrium.toml': '[cerebrium.deployment]\nname = "My App"\npython_version = 3.10\n' };

test('accepts a valid file without token and network', async () => {
  await using app = await folderOf(smallApp());
  const { code, stdout, stderr } = await gantry(['check'], { cwd: app.path });
  expect([code, stdout, stderr]).toEqual([0, 'cerebrium.toml is valid: app web, runtime cortex\n', '']);
});

test('prints a document with --json', async () => {
  await using app = await folderOf(smallApp());
  const { json } = await gantry(['check', '--json'], { cwd: app.path });
  expect(json()).toEqual({ file: 'cerebrium.toml', valid: true, app: 'web', runtime: 'cortex', problems: [] });
  expect((await gantry(['check', '--json=app'], { cwd: app.path })).json()).toEqual({ app: 'web' });
});

test('rejects an unknown --json field before reading anything', async () => {
  const { code, stderr } = await gantry(['check', '--json=nonsense'], { cwd: '/' });
  expect(code).toBe(2);
  expect(stderr).toContain('available fields: file, valid, app, runtime, problems');
});

test.each([
  [['my-app'], 'found in my-app', 'fix cd my-app, or pass -C my-app'],
  [['b', 'a', '.hidden'], 'found in .hidden, a, b', 'fix cd .hidden'],
  [[], 'cerebrium.toml', 'fix gantry init'],
])('without a config file looks for one in the folders %j', async (folders, why, fix) => {
  await using place = await folderOf(
    Object.fromEntries([['x', ''], ...folders.map((name) => [`${name}/cerebrium.toml`, ''])]),
  );
  const { code, stderr } = await gantry(['check'], { cwd: place.path });
  expect(code).toBe(10);
  expect(stderr).toContain(why);
  expect(stderr).toContain(fix);
});

test('a warning fails only with --strict', async () => {
  await using app = await folderOf(odd);
  const lax = await gantry(['check'], { cwd: app.path });
  expect(lax.code).toBe(0);
  expect(lax.stderr).toMatch(/^warning: .*public/);
  expect(lax.stdout).toContain('1 warning');
  const strict = await gantry(['check', '--strict', '--json'], { cwd: app.path });
  expect(strict.code).toBe(10);
  expectErrorDocument(strict);
});

test('shows every problem with its location and fix, also in JSON', async () => {
  await using app = await folderOf(wrong);
  const outcome = await gantry(['check', '--json'], { cwd: app.path });
  expect(outcome.code).toBe(10);
  expect(outcome.stderr).toContain('  in  cerebrium.toml:2:8\n      2 | name = "My App"\n        |        ^^^^^^^^\n');
  expect(outcome.stderr).toContain('cerebrium.toml:3:18');
  const { error } = outcome.json() as { error: { details: { problems: { location: { line: number } }[] } } };
  expect(error.details.problems.map(({ location }) => location?.line)).toEqual(expect.arrayContaining([2, 3]));
});

test('annotates problems on their lines in GitHub Actions', async () => {
  await using app = await folderOf(wrong);
  const { stdout, stderr } = await gantry(['check'], { cwd: app.path, env: { GITHUB_ACTIONS: 'true' } });
  expect(stderr).toMatch(/^::error file=cerebrium\.toml,line=2,col=8::/m);
  expect(stdout).toBe('');
  const silent = await gantry(['check'], { cwd: app.path, env: { GITHUB_ACTIONS: 'true', GANTRY_CI_OUTPUT: '0' } });
  expect(silent.stderr).not.toContain('::error');
});

test('suggests init if the file does not exist', async () => {
  await using app = await folderOf({});
  const { code, stderr } = await gantry(['check'], { cwd: app.path });
  expect(code).toBe(10);
  expect(stderr).toContain('cerebrium.toml');
  expect(stderr).toContain('gantry init');
});

test('checks another file, or another folder with -C', async () => {
  await using app = await folderOf({ 'app/other.toml': smallApp()['cerebrium.toml'] ?? '', 'app/main.py': '' });
  expect((await gantry(['check', 'app/other.toml'], { cwd: app.path })).stdout).toContain('app/other.toml is valid');
  expect((await gantry(['-C', 'app', 'check', 'other.toml'], { cwd: app.path })).stdout).toContain(
    'other.toml is valid',
  );
});
