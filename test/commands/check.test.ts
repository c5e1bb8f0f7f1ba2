import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { python } from '../emulator/support/running.ts';
import { expectErrorDocument, gantry, newFolder, smallApp } from '../support/index.ts';

const odd = { ...smallApp(), 'cerebrium.toml': '[cerebrium.deployment]\nname = "web"\n' };
const wrong = { 'cerebrium.toml': '[cerebrium.deployment]\nname = ""\npython_version = 3.10\n' };

test('accepts a valid file without token and network', async () => {
  const { code, stdout, stderr } = await gantry(['check'], { cwd: newFolder(smallApp()) });
  // A busy machine says what takes long.
  const said = stderr.replace('Checking files\n', '');
  expect([code, stdout, said]).toEqual([0, 'cerebrium.toml is valid: app web, runtime cortex\n', '']);
});

test.skipIf(!python)(
  'says which Python has checked the syntax, if it is not that of the app (needs python3)',
  async () => {
    const version = String(execFileSync('python3', ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'])).trim();
    const other = ['3.10', '3.13'].find((one) => one !== version) ?? '';
    const app = newFolder({
      ...smallApp(),
      'cerebrium.toml': `[cerebrium.deployment]\nname = "web"\ndisable_auth = false\npython_version = "${other}"\n`,
      'bin/python3': `#!/bin/sh\nPATH='${process.env.PATH}' exec python3 "$@"\n`,
    });
    chmodSync(join(app, 'bin/python3'), 0o755);
    const { code, stderr } = await gantry(['check', '--strict'], {
      cwd: app,
      env: { PATH: join(app, 'bin') },
    });
    expect([code, stderr]).toEqual([
      0,
      `syntax was checked by Python ${version}: Python ${other} is not on this machine\n`,
    ]);
  },
);

test('checks the file of --config-file, in each folder that is named', async () => {
  const bad = '[cerebrium.deployment]\nname = "web"\n[cerebrium.hardware]\nmemory = "x"\n';
  const cwd = newFolder({ ...smallApp(), 'bad.toml': bad, 'one/main.py': 'def run(): pass\n', 'one/bad.toml': bad });
  const check = async (line: string) => {
    const { code, stdout, stderr } = await gantry(line, { cwd });
    return [code, stdout, stderr.match(/^error: .*|^ {2}in {2}.*/gm)];
  };
  const wrongType = 'error: memory must be a number, got a string';
  expect(await check('check --config-file bad.toml')).toEqual([10, '', [wrongType, '  in  bad.toml:4:10']]);
  expect(await check('check one --config-file bad.toml')).toEqual([10, '', [wrongType, '  in  one/bad.toml:4:10']]);
  expect(await check('check --config-file nope.toml')).toEqual([10, '', ['error: nope.toml not found']]);
});

test('prints a document with --json', async () => {
  const app = newFolder(smallApp());
  const { json } = await gantry(['check', '--json'], { cwd: app });
  expect(json()).toEqual({
    file: 'cerebrium.toml',
    valid: true,
    app: 'web',
    runtime: 'cortex',
    problems: [],
  });
  expect((await gantry(['check', '--json=app'], { cwd: app })).json()).toEqual({ app: 'web' });
});

test('what is to be mended is the fix, and never another check', async () => {
  const app = newFolder({ ...smallApp(), 'cerebrium.toml': '[cerebrium.deployment]\nnam = "web"\n' });
  const { code, json } = await gantry(['check', '--json'], { cwd: app });
  const { error } = json() as { error: { fix?: string; next?: unknown; details: { problems: { fix?: string }[] } } };
  expect([code, error.next]).toEqual([10, undefined]);
  expect(error.fix).toBe(error.details.problems[0]?.fix);
});

test('a warning fails only with --strict', async () => {
  const app = newFolder(odd);
  const lax = await gantry(['check'], { cwd: app });
  expect(lax).toExit(0, /^warning: .*public/);
  expect(lax.stdout).toContain('1 warning');
  expect(lax.stderr).toContain('with --strict, a warning is an error\n');
  const strict = await gantry(['check', '--strict', '--json'], { cwd: app });
  expect(strict.code).toBe(10);
  expectErrorDocument(strict);
});

test('shows every problem with its location and fix, also in JSON', async () => {
  const outcome = await gantry(['check', '--json'], { cwd: newFolder(wrong) });
  expect(outcome.code).toBe(10);
  expect(outcome.stderr).toContain('  in  cerebrium.toml:2:8\n      2 | name = ""\n        |        ^^\n');
  expect(outcome.stderr).toContain('cerebrium.toml:3:18');
  const { error } = outcome.json() as { error: { details: { problems: { location: { line: number } }[] } } };
  expect(error.details.problems.map(({ location }) => location?.line)).toEqual(expect.arrayContaining([2, 3]));
});

test('annotates problems on their lines in GitHub Actions', async () => {
  const app = newFolder(wrong);
  const { stdout, stderr } = await gantry(['check'], { cwd: app, env: { GITHUB_ACTIONS: 'true' } });
  expect(stderr).toMatch(/^::error file=cerebrium\.toml,line=2,col=8::/m);
  expect(stdout).toBe('');
  const silent = await gantry(['check'], { cwd: app, env: { GITHUB_ACTIONS: 'true', GANTRY_CI_OUTPUT: '0' } });
  expect(silent.stderr).not.toContain('::error');
});

test('suggests init if the file does not exist', async () => {
  expect(await gantry(['check'], { cwd: newFolder() })).toExit(10, 'cerebrium.toml', 'gantry init');
});

test('checks another app by its folder, or with -C', async () => {
  const app = newFolder({ 'app/cerebrium.toml': smallApp()['cerebrium.toml'] ?? '', 'app/main.py': '' });
  const check = async (...words: string[]) => (await gantry(['check', ...words], { cwd: app })).stdout;
  expect(await check('app')).toContain('app/cerebrium.toml is valid');
  expect(await check('-C', 'app', 'cerebrium.toml')).toContain('cerebrium.toml is valid');
});

test.each([
  ['check', 'app/cerebrium.toml', 'app'],
  ['check', 'apps/web/cerebrium.toml', 'apps/web'],
  ['check apps', 'apps/web/cerebrium.toml', 'apps/web'],
  ['deploy', 'apps/web/cerebrium.toml', 'apps/web'],
])('%s says that an app lies in a subfolder: %s', async (words, file, folder) => {
  const cwd = newFolder({ [file]: '' });
  const { stderr, json } = await gantry([...words.split(' '), '--json'], { cwd });
  expect(stderr).toContain(`; there is one in ${folder}\n  fix cd ${folder}\n`);
  const there = words === 'check apps' ? undefined : ['gantry', words, '--json', '-C', join(cwd, folder)];
  expect(json()).toEqual({ error: expect.objectContaining(there ? { next: there } : { fix: `cd ${folder}` }) });
});

test('of several apps in subfolders, none is taken for the one that was meant', async () => {
  const cwd = newFolder({ 'api/cerebrium.toml': '', 'web/cerebrium.toml': '' });
  expect(await gantry('deploy', { cwd })).toExit(
    10,
    '; there is one in api, web\n  fix change to the folder of the app, or name it with -C\n',
  );
});

test('checks several apps at once, as deploy takes them', async () => {
  const toml = smallApp()['cerebrium.toml'] ?? '';
  const app = newFolder({
    'apps/a/cerebrium.toml': toml,
    'apps/a/main.py': 'def run():\n    return 1\n',
    'apps/b/cerebrium.toml': `${toml}[cerebrium.hardware]\ncpu = "many"\n`,
    'apps/b/main.py': '',
    'apps/notes/README.md': '',
  });
  const check = (...words: string[]) => gantry(['check', ...words], { cwd: app });
  expect(await check('apps/a', 'apps/b', 'apps/notes')).toExit(
    10,
    'apps/b/cerebrium.toml:',
    'apps/notes is not an app',
  );
  const two = await check('apps/a', 'apps/notes', '--json');
  expect([two.code, two.json()]).toEqual([0, { apps: [expect.objectContaining({ file: 'apps/a/cerebrium.toml' })] }]);
  expect((await check('apps/a', 'apps/a')).stdout.split('\n')).toHaveLength(3);
  expect(await check('apps/notes', 'apps')).toExit(2, 'no folder has a cerebrium.toml');
  expect(await check('apps/a', 'apps/b', '--name', 'x')).toExit(2, '--name is for one app');
});

test('names a config file with nearly the same name', async () => {
  expect(await gantry(['check', 'cerebrum.toml'], { cwd: newFolder(smallApp()) })).toExit(
    10,
    'there is cerebrium.toml',
  );
});
