import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { reference } from '../../src/cli/reference.ts';
import { half } from '../support/extent.ts';
import { emulatorForAll, gantry, newFolder, type Setting, smallApp } from '../support/index.ts';

let app: string;
const empty = newFolder();
/** In the folder of the app, and in one without an app. */
let here: Setting;
let elsewhere: Setting;

const emulator = emulatorForAll({ real: false, seed: 1 });

beforeAll(async () => {
  app = newFolder(smallApp());
  here = { emulator, cwd: app };
  elsewhere = { emulator, cwd: empty };
});

/** Command lines that read or call an app, without it; what follows it stands behind a bar. */
const lines = [
  'apps get',
  'apps scale | --min-replicas 0 --dry-run',
  'cost | --since 1d',
  'builds list',
  'builds get',
  'apps containers',
  'explain',
  'invoke',
  'invoke | prompt=hello',
  'logs',
  'logs | --build',
  'logs | --run latest',
  'metrics',
  'open',
  'rollback | --dry-run --force',
  'runs chart',
  'runs get',
  'runs list',
  'runs list | --limit 3',
];

test.each(half(lines))('gantry %s needs no app in the folder of one', async (line) => {
  const [command = '', rest = ''] = line.split(' | ');
  const called = async (name: string[]) => {
    const before = emulator.calls.length;
    const words = [...command.split(' '), ...name, ...rest.split(' ').filter(Boolean)];
    // A machine of its own each time: what was read once is not asked for again.
    const { code } = await gantry(words, { ...here, env: { GANTRY_CONFIG_DIR: newFolder() } });
    // When a live log is opened, and what else is asked meanwhile, is chance.
    const asked = emulator.calls.slice(before).filter(({ path }) => path !== '/ws-logs');
    return [code, ...new Set(asked.map(({ method, path }) => `${method} ${path}`))].sort();
  };
  const [none, dot, named] = [await called([]), await called(['.']), await called(['web'])];
  expect(none).toEqual(named);
  expect(dot).toEqual(named);
  expect(named.length).toBeGreaterThan(1);
});

test.each(['builds', 'runs'])('%s cancel needs no app in the folder of one, but the id', async (group) => {
  const id = '11111111-1111-4111-8111-111111111111';
  const called = async (...words: string[]) => {
    const before = emulator.calls.length;
    const { code } = await gantry([group, 'cancel', ...words, '--yes'], here);
    return [code, ...emulator.calls.slice(before).map(({ method, path }) => `${method} ${path}`)];
  };
  const named = await called('web', id);
  expect(named.length).toBeGreaterThan(1);
  expect(await called(id)).toEqual(named);
  expect(await called('.', id)).toEqual(named);
  expect(await gantry([group, 'cancel', id, '--yes'], elsewhere)).toExit(2, 'no app in this folder');
  for (const words of [[], ['web'], ['.']]) {
    const { code, stderr } = await gantry([group, 'cancel', ...words], here);
    const fix = ['gantry', group, 'list', ...words].join(' ');
    expect([code, stderr]).toEqual([2, `error: missing argument <${group.slice(0, -1)}>\n  fix ${fix}\n`]);
  }
});

test('a command that reads, calls or cancels needs no app, one that destroys it does', async () => {
  const { commands } = await reference();
  const withApp = commands.flatMap(({ command, effect, arguments: [first] }) =>
    first?.name === 'app' ? [{ command, effect, required: first.required }] : [],
  );
  expect(withApp.length).toBeGreaterThan(20);
  expect(
    withApp.filter(
      ({ command, effect, required }) => required !== (effect === 'destroys' && !command.endsWith(' cancel')),
    ),
  ).toEqual([]);
});

describe('errors about the app', () => {
  const failed = async (line: string, setting: Setting) => {
    const { code, stderr } = await gantry(line.split(' '), setting);
    return [code, stderr.replace(/^(project|Reading| {2}request) .*\n/gm, '')];
  };

  test.each([
    ['logs webb', 'gantry logs web'],
    ['builds list wbe', 'gantry builds list web'],
    ['runs list Transcriber --limit 3', 'gantry runs list transcriber --limit 3'],
    ['invoke wbe prompt=wbe', 'gantry apps list'],
    ['apps get wbe --json=id', 'gantry apps get web --json=id'],
    ['builds cancel wbe 11111111-1111-4111-8111-111111111111 --yes', 'gantry apps list'],
  ])('gantry %s names the app that is meant', async (line, fix) => {
    const [code, text] = await failed(line, elsewhere);
    expect(code).toBe(6);
    expect(text).toMatch(/^error: app \w+ not found in p-12345678: did you mean \w+\?\n/);
    expect(text).toContain(`\n  fix ${fix}\n`);
  });

  test('an app like no other', async () => {
    expect(await failed('logs nothing', elsewhere)).toEqual([
      6,
      'error: app nothing not found in p-12345678\n  fix gantry apps list\n',
    ]);
  });

  test('an app of this folder that is not deployed', async () => {
    const setting = { emulator, cwd: newFolder({ 'other.toml': '[cerebrium.deployment]\nname = "fresh"\n' }) };
    expect(await failed('logs --config-file other.toml', setting)).toEqual([
      6,
      'error: app fresh of this folder is not deployed to p-12345678\n  fix gantry deploy --config-file other.toml\n',
    ]);
  });

  test('no app in this folder', async () => {
    const [code, text] = await failed('logs --since 1h', elsewhere);
    expect(code).toBe(2);
    expect(text).toMatch(/^error: no app in this folder: there is no cerebrium\.toml\n/);
    const [, fix = ''] = /fix name the app: gantry (.+)\n/.exec(String(text)) ?? [];
    // Which of several is meant, nobody knows.
    expect(fix).toBe('logs APP --since 1h');
    expect((await gantry(fix.replace('APP', 'transcriber').split(' '), elsewhere)).code).toBe(0);
  });

  test.each(['status', 'status web', 'cost', 'open --print', 'metrics --live', 'logs'])(
    'a config file that is not there: %s',
    async (line) => {
      const [code, text] = await failed(`${line} --config-file nope.toml`, elsewhere);
      expect([code, text]).toEqual([
        2,
        expect.stringMatching(/no app in this folder: there is no nope.toml.* fix .*name (?:of the file|the app)/s),
      ]);
    },
  );

  test('a config file without a name, and one with other mistakes', async () => {
    const broken = newFolder({ 'cerebrium.toml': '[cerebrium.deployment]\npython_version = 3\n' });
    expect(await failed('apps get', { emulator, cwd: broken })).toEqual([
      10,
      expect.stringContaining('error: cerebrium.toml names no app'),
    ]);
    await writeFile(join(broken, 'cerebrium.toml'), '[cerebrium.deployment]\nname = "web"\npython_version = 3\n');
    expect((await gantry(['apps', 'get'], { emulator, cwd: broken })).code).toBe(0);
  });

  test('what destroys something wants the name', async () => {
    expect(await failed('apps delete . --confirm web', here)).toEqual([
      2,
      'error: a command that destroys something needs the name of the app, not "."\n  fix gantry apps delete web --confirm web\n',
    ]);
    expect((await failed('apps delete', here))[0]).toBe(2);
  });
});

test('--app . is the app of this folder, and its name is wanted by what destroys', async () => {
  const setting = { ...here, env: { A: '1' } };
  const named = await gantry(['secrets', 'set', 'A', '--from-env', '--app', '.', '--yes'], setting);
  expect(named).toExit(2, /^ {2}fix gantry secrets set A --from-env --app web --yes$/m);
  expect((await gantry(['secrets', 'set', 'A', '--from-env', '--app', 'web', '--yes'], setting)).code).toBe(0);
  expect((await gantry(['secrets', 'list', '--app', '.', '--json'], setting)).json()).toEqual([{ name: 'A' }]);
  expect((await gantry(['secrets', 'list', '--app', '.'], elsewhere)).code).toBe(2);
});
