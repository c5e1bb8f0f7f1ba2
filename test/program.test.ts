import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reference } from '../src/cli/reference.ts';
import { version } from '../src/kernel/version.ts';
import { emulatorForAll, expectErrorDocument, gantry, keys, newFolder, smallApp } from './support/index.ts';

const emulator = emulatorForAll({ real: false });

test.each([['--version'], ['-V']])('%s prints the version', async (flag) => {
  expect(await gantry([flag])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test.each([['--help'], ['-h']])('%s prints the commands in their groups', async (flag) => {
  const { code, stdout, stderr } = await gantry([flag]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^USAGE\n {2}gantry <command> \[flags\]\n\nGET STARTED\n/m);
  for (const word of ['deploy', 'apps', 'doctor', 'exit-codes']) expect(stdout).toContain(word);
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

test.each([[[]], [['builds']]])('gantry %s without a command prints its help', async (words) => {
  const { code, stdout, stderr } = await gantry(words, { emulator });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toBe((await gantry([...words, '--help'])).stdout);
});

test.each([
  [46, 60],
  [80, 80],
  [120, 100],
])('on a terminal of %i columns help is %i wide', async (columns, width) => {
  const { stdout } = await gantry(['cp', '--help'], { columns });
  const longest = Math.max(...stdout.split('\n').map((line) => line.length));
  expect(longest).toBeGreaterThan(width - 12);
  expect(longest).toBeLessThanOrEqual(width);
});

test('--help --json describes a command as the reference does', async () => {
  const { json } = await gantry(['apps', 'get', '--help', '--json']);
  const { commands } = await reference();
  expect(json()).toEqual(commands.find(({ command }) => command === 'apps get'));
});

test.each([
  ['a misspelled command', 'deplyo', /error: unknown command "deplyo"[\s\S]*did you mean deploy\?/],
  ['a misspelled subcommand', 'apps delte', /error: unknown command "delte"/],
  ['a nearly correct subcommand', 'builds cancle web b', /did you mean cancel\?/],
  [
    'a word that others have for it',
    'weights',
    /unknown command "weights"\n {2}fix see gantry help cp, volumes verify\n/,
  ],
  ['a word of the help', 'previews', /error: unknown command "previews"\n {2}fix see gantry help [a-z, ]*deploy/],
  ['an unknown word', 'frobnicate', /error: unknown command "frobnicate"[\s\S]*fix gantry --help/],
  ['a misspelled flag', 'deploy --detatch', /error: unknown flag "--detatch"[\s\S]*did you mean --detach\?/],
  [
    'a flag in more words',
    'deploy --only-if-changed',
    /did you mean --if-changed\?\n {2}fix gantry deploy --if-changed\n/,
  ],
  ['one word of two flags', 'apps scale web --replicas 2', /did you mean --min-replicas or --max-replicas\?/],
  ['a misspelled global flag', 'apps list --quite', /did you mean --quiet\?/],
  ['an abbreviated flag', 'deploy --det', /error: unknown flag "--det"/],
  ['a flag that is not there, with a value', 'apps list --sort cost', /"--sort"\n {2}fix gantry apps list --help/],
  ['an unexpected argument', 'apps list web', /error: unexpected argument "web"\n {2}fix gantry apps list --help/],
  ['a missing argument', 'apps delete', /error: missing argument <app>\n {2}fix for example: gantry apps delete web\n/],
  [
    'a missing flag',
    'users invite ada@example.com',
    /error: missing required flag --role <role>\n {2}fix for example: gantry users invite ada@example.com --role member\n/,
  ],
  [
    'a missing flag with the files of the line',
    'map . names.jsonl',
    /missing required flag -o, --output <file>\n {2}fix for example: gantry map \. names\.jsonl -o results\.jsonl\n/,
  ],
  ['a missing flag of nothing', 'map', /fix for example: gantry map web inputs\.jsonl -o results\.jsonl\n/],
  ['a flag without its value', 'deploy --name', /error: --name requires a value\n/],
  [
    'a value out of its list',
    'apps list --color=sometimes',
    /error: invalid --color "sometimes": expected one of always, never, auto\n {2}fix for example: gantry apps list --color=always/,
  ],
  [
    'a value of another form',
    'runs list web --since=soon',
    /error: invalid --since "soon": expected a time such as 2026-11-20.*, 7d\n/,
  ],
  [
    'an argument of another form',
    'plan set gold',
    /error: invalid <plan> "gold": expected one of hobby, standard, enterprise\n/,
  ],
  ['an unknown subcommand before --help', 'apps nonsense', /fix gantry apps --help/],
])('an invalid command line exits with 2 and suggests a fix: %s', async (_, line, says) => {
  const words = line.split(' ').filter(Boolean);
  const outcome = await gantry(words, { emulator });
  expect(outcome.stderr).toMatch(says);
  expect([outcome.code, outcome.stdout]).toEqual([2, '']);
  const asJson = await gantry([...words, '--json'], { emulator });
  expect(asJson.code).toBe(2);
  expectErrorDocument(asJson);
});

describe('the global flags', () => {
  test('--json takes no value from the next word', async () => {
    const { json } = await gantry(['--json', 'apps', 'list'], { emulator });
    expect(json()).toEqual([]);
  });

  test.each([[['-C', 'app', 'check']], [['check', '-C', 'app']], [['check', '--cwd=app']]])(
    '%s works in that folder',
    async (words) => {
      const place = newFolder(
        Object.fromEntries(Object.entries(smallApp()).map(([name, text]) => [join('app', name), text])),
      );
      expect((await gantry(words, { cwd: place })).stdout).toContain('is valid');
    },
  );

  test('-C with a missing folder exits with 2', async () => {
    expect(await gantry(['check', '-C', 'no-such-folder'])).toExit(2, 'folder no-such-folder not found');
  });

  test('--quiet omits the steps; the result, errors and warnings are printed', async () => {
    const { stdout, stderr } = await gantry(['deploy', '-q'], { emulator, cwd: newFolder(smallApp()) });
    expect(stdout).toMatch(/\/web\n$/);
    expect(stderr).toBe('');
    const odd = newFolder({ ...smallApp(), 'cerebrium.toml': '[cerebrium.deployment]\nname = ""\n' });
    expect((await gantry(['deploy', '-q'], { emulator, cwd: odd })).stderr).toContain('error: the app name is empty');
  });

  test('--debug shows each request, never the token or a query, and the stack of an error', async () => {
    const { stderr } = await gantry(['apps', 'get', 'nobody', '--debug'], { emulator });
    expect(stderr).toMatch(/debug: GET \/v2\/projects\/p-12345678\/apps\/p-12345678-nobody 404 \d+ ms/);
    expect(stderr).toMatch(/^ {4}at .+:\d+:\d+\)?$/m);
    expect(stderr).not.toContain(emulator.token);
    expect((await gantry(['apps', 'get', 'nobody'], { emulator })).stderr).not.toMatch(/^ +at /m);
  });

  test.each([
    ['a pipe', [], {}, undefined, false],
    ['a terminal', [], {}, 80, true],
    ['a terminal with NO_COLOR', [], { NO_COLOR: '1' }, 80, false],
    ['a terminal with an empty NO_COLOR', [], { NO_COLOR: '' }, 80, true],
    ['a dumb terminal', [], { TERM: 'dumb' }, 80, false],
    ['a pipe with FORCE_COLOR', [], { FORCE_COLOR: '1' }, undefined, true],
    ['a terminal with FORCE_COLOR=0', [], { FORCE_COLOR: '0' }, 80, false],
    ['a terminal with both', [], { NO_COLOR: '1', FORCE_COLOR: '1' }, 80, false],
    ['a pipe with --color=always', ['--color=always'], {}, undefined, true],
    ['a pipe with --color always', ['--color', 'always'], {}, undefined, true],
    ['a pipe with two, the last of which counts', ['--color', 'never', '--color=always'], {}, undefined, true],
    ['a terminal with --color=never', ['--color=never'], {}, 80, false],
    ['a terminal with --color never', ['--color', 'never'], {}, 80, false],
    ['NO_COLOR and --color=always', ['--color=always'], { NO_COLOR: '1' }, undefined, true],
  ])('an error in %s is colored as requested', async (_, flags, env, columns, colored) => {
    const { stderr } = await gantry(['apps', 'get', 'nobody', ...flags], {
      emulator,
      env,
      ...(columns ? { columns } : {}),
    });
    expect(stderr.includes('\u001b[31m')).toBe(colored);
  });

  test('symbols are ASCII if the locale cannot show others', async () => {
    const app = newFolder(smallApp());
    const { stderr } = await gantry(['deploy'], { emulator, cwd: app, env: { LANG: 'C', LC_ALL: 'C' } });
    expect(stderr).toContain('ok Uploaded');
    expect(stderr).not.toMatch(/[^\u0000-\u007f]/);
  });
});

describe('the question of deploy', () => {
  test.each([
    ['\r', 0],
    ['y\r', 0],
    ['n\r', 130],
  ])('answered %j exits with %i', async (typed, exit) => {
    const app = newFolder(smallApp());
    emulator.reset();
    expect(await gantry(['deploy'], { emulator, cwd: app, columns: 80, stdin: keys(typed) })).toExit(exit, 'Deploy?');
    expect(emulator.store.builds.size).toBe(exit === 0 ? 1 : 0);
  });

  test.each([['--yes'], ['--no-input']])('is not asked with %s', async (flag) => {
    const { code, stderr } = await gantry(['deploy', flag], {
      emulator,
      cwd: newFolder(smallApp()),
      columns: 80,
      stdin: keys('n\r'),
    });
    expect(stderr).not.toContain('Deploy?');
    expect(code).toBe(0);
  });
});

describe('the project', () => {
  test('is that of the token by default', async () => {
    const { code } = await gantry(['apps', 'list'], { emulator, env: { GANTRY_PROJECT: '' } });
    expect(code).toBe(0);
  });

  test('without one in the token needs --project: exits with 2', async () => {
    const env = { GANTRY_PROJECT: '', GANTRY_TOKEN: 'opaque' };
    expect(await gantry(['apps', 'list'], { emulator, env })).toExit(2, 'fix pass --project p-…, set GANTRY_PROJECT');
  });
});
