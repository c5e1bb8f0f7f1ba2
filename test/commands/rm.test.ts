import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Answer, type Answering, emulatorForEach, gantry, inFrontOf, keys, targetOf } from '../support/index.ts';

const all = ['/logs/a.txt', '/logs/b.txt', '/logs/old/c.txt', '/logs/old/d.log', '/models/big.bin', '/top.txt'];

const emulator = emulatorForEach();

beforeEach(async () => {
  for (const path of all) emulator.volume().write(path, path);
});

/** The files that are left. */
const left = () =>
  emulator
    .volume()
    .paths()
    .filter((path) => !path.endsWith('/'));
const without = (...gone: string[]) => all.filter((path) => !gone.some((each) => path.startsWith(each)));
const removals = () => emulator.calls.filter(({ endpoint }) => endpoint === 'deletePath');

describe('a file', () => {
  test('is removed after a question', async () => {
    emulator.volume().write('/top.txt', Buffer.alloc(3072));
    const { code, stdout, stderr } = await gantry(['rm', '/top.txt'], { emulator, columns: 80, stdin: keys('y\r') });
    expect(code).toBe(0);
    expect(stdout).toBe('removed default:/top.txt\n');
    expect(stderr).toMatch(/Remove default:\/top\.txt \(.*3\.0 KiB/);
    expect(left()).toEqual(without('/top.txt'));
  });

  test('is removed with --yes, several at once', async () => {
    const { json } = await gantry(['rm', '/top.txt', 'default:logs/a.txt', '--yes', '--json'], { emulator });
    expect(json()).toEqual([
      { path: 'default:/top.txt', isFolder: false, changed: true, confirmed: true },
      { path: 'default:/logs/a.txt', isFolder: false, changed: true, confirmed: true },
    ]);
    expect(left()).toEqual(without('/top.txt', '/logs/a.txt'));
  });

  test('is one of very many, without a warning of Node', async () => {
    const paths = Array.from({ length: 30 }, (_, at) => `/many/${at}.txt`);
    for (const path of paths) emulator.volume().write(path, path);
    expect((await gantry(['rm', ...paths, '--yes'], { emulator })).code).toBe(0);
    expect(left()).toEqual(all);
  });

  test('is reported in the order of the command line', async () => {
    emulator.fail('deletePath', 503);
    const { json, stderr } = await gantry(['rm', '/top.txt', '/logs/a.txt', '--yes', '--json=path'], { emulator });
    expect(json()).toEqual([{ path: 'default:/top.txt' }, { path: 'default:/logs/a.txt' }]);
    expect(stderr).toMatch(/HTTP 503.*retrying in/);
  });

  test('is removed from the requested region', async () => {
    emulator.volume('global').write('/top.txt', 'x');
    await gantry(['rm', '/top.txt', '--yes', '--region', 'global'], { emulator });
    expect([left(), emulator.volume('global').paths()]).toEqual([all, []]);
  });
});

describe('a folder', () => {
  test('is removed with -r and its name, with or without a slash at its end', async () => {
    for (const path of ['/logs', '/models/']) {
      expect(await gantry(['rm', '-r', path, '--confirm', path], { emulator })).toExit(0, 'Found');
    }
    expect(left()).toEqual(['/top.txt']);
    expect(removals().map(({ query }) => query.file_path)).toEqual(['/logs/', '/models/']);
  });

  test('asks for its name on a terminal, and shows its contents', async () => {
    const outcome = await gantry(['rm', '-r', '/logs'], { emulator, columns: 120, stdin: keys('/logs\r') });
    expect(outcome).toExit(0, 'This permanently removes 1 folder with 4 files in it');
    expect(left()).toEqual(without('/logs'));
  });

  test.each([
    ['a folder', ['/logs'], /1 folder with 4 files in it \(3\.0 KiB\)/],
    [
      'two folders and a file',
      ['/logs', '/models', '/top.txt'],
      /1 file\b.*10 B.*2 folders with 5 files in them \(5\.0 KiB\)/,
    ],
  ])('is confirmed with the number and size of all files to remove: %s', async (_, paths, expected) => {
    const volume = emulator.volume();
    for (const path of ['/logs/a.txt', '/logs/b.txt', '/logs/old/c.txt']) volume.write(path, Buffer.alloc(1024));
    volume.write('/logs/old/d.log', '');
    volume.write('/models/big.bin', Buffer.alloc(2048));
    volume.write('/top.txt', Buffer.alloc(10));
    const { code, stderr } = await gantry(['rm', '-r', ...paths], { emulator, columns: 200, stdin: keys('no\r') });
    expect([code, left()]).toEqual([130, all]);
    expect(stderr).toMatch(expected);
  });

  test('is confirmed by a question that breaks between words', async () => {
    const { stderr } = await gantry(['rm', '-r', '/logs'], { emulator, columns: 64, stdin: keys('no\r') });
    expect(stripVTControlCharacters(stderr)).toMatch(
      /\? This permanently removes 1 folder with \d files? in it\n\(\d+ B\)\. Type \/logs to confirm: no/,
    );
  });

  test('says at once what is enough in place of --yes', async () => {
    const words = ['rm', '-r', '/logs', '--yes'];
    const { stderr } = await gantry(words, { emulator, columns: 200, stdin: keys('no\r') });
    expect(stderr).toContain('--yes is not enough (--confirm /logs is). Type /logs to confirm:');
  });

  test.each([
    ['without -r', ['/logs', '--yes'], {}, 2],
    ['with -r and --yes only', ['-r', '/logs', '--yes'], {}, 9],
    ['with another name typed', ['-r', '/logs'], { columns: 80, stdin: keys('/log\r') }, 130],
    ['with another name in --confirm', ['-r', '/logs', '--confirm', '/log'], {}, 2],
    ['that is all there is, with --yes', ['-r', '/', '--yes'], {}, 9],
    ['that is all there is, without -r', ['/', '--confirm', '/'], {}, 2],
    ['that is everything in it, with --yes', ['-r', '/*', '--yes'], {}, 9],
  ])('is kept %s', async (_, words, setting, exit) => {
    const { code } = await gantry(['rm', ...words], { emulator, ...setting });
    expect([code, left(), removals()]).toEqual([exit, all, []]);
  });

  test.each(['/logs', '/logs/', ':/logs', 'default:/logs/'])('is removed with --confirm %s', async (name) => {
    const { code } = await gantry(['rm', '-r', '/logs', '--confirm', name], { emulator });
    expect([code, left()]).toEqual([0, without('/logs')]);
  });

  test('that is the whole volume is removed with --confirm /', async () => {
    const { code } = await gantry(['rm', '-r', '/', '--confirm', '/'], { emulator });
    expect([code, left()]).toEqual([0, []]);
  });

  test('is removed once if it is named twice, or a path below it as well', async () => {
    const words = ['rm', '-r', '/logs/old/c.txt', '/logs', '/logs/', '--confirm', '/logs/old/c.txt /logs /logs/'];
    const { json } = await gantry([...words, '--json'], { emulator });
    expect(json()).toEqual([{ path: 'default:/logs/', isFolder: true, changed: true, confirmed: true }]);
  });
});

describe('a pattern', () => {
  test.each([
    ['/logs/*.txt', ['/logs/a.txt', '/logs/b.txt']],
    ['/logs/[!a].txt', ['/logs/b.txt']],
    ['/logs/?.txt', ['/logs/a.txt', '/logs/b.txt']],
    ['/**/*.txt', ['/logs/a.txt', '/logs/b.txt', '/logs/old/c.txt', '/top.txt']],
    ['/logs/**/*.log', ['/logs/old/d.log']],
    ['default:*.txt', ['/top.txt']],
    ['/{models,logs}/*.{bin,log}', ['/models/big.bin']],
    ['/l*/old/d*', ['/logs/old/d.log']],
  ])('%s matches %j', async (pattern, gone) => {
    const { code } = await gantry(['rm', pattern, '--yes'], { emulator });
    expect([code, left()]).toEqual([0, without(...gone)]);
  });

  test('shows what it matches before it asks', async () => {
    const { stderr } = await gantry(['rm', '/logs/*.txt'], { emulator });
    expect(stderr).toMatch(
      / {2}default:\/logs\/a\.txt\n {2}default:\/logs\/b\.txt\n.*confirmation required: Remove 2 files, 22 B\?\n/s,
    );
    expect(left()).toEqual(all);
  });

  test('shows twenty of many', async () => {
    for (let index = 0; index < 30; index += 1) emulator.volume().write(`/many/${index}`, '');
    const { stderr } = await gantry(['rm', '/many/*'], { emulator });
    expect(stderr).toContain('  and 10 more');
    expect((await gantry(['rm', '/many/*', '--yes'], { emulator })).stderr).toBe(`project ${targetOf(emulator)}\n`);
    expect(left()).toEqual(all);
  });

  test('the line with -r is what was typed: a dry run stays one', async () => {
    const outcome = await gantry(['rm', '/logs', '--dry-run', '--json'], { emulator });
    expect(outcome).toExit(2, 'is a folder\n', 'fix gantry rm /logs --dry-run --json -r\n');
    expect(outcome.json()).toHaveProperty('error.next', ['gantry', 'rm', '/logs', '--dry-run', '--json', '-r']);
    expect(left()).toEqual(all);
  });

  test('a confirmation without -r is none of a folder', async () => {
    const { stderr } = await gantry(['rm', '/logs', '--confirm', '/logs'], { emulator });
    expect(stderr).toContain('fix gantry rm /logs -r\n');
  });

  test('-r with the name of a region exits with 2 and shows both readings', async () => {
    const outcome = await gantry(['rm', '-r', 'eu-north-1', '/logs/', '--yes'], { emulator });
    expect(outcome).toExit(2, 'gantry rm --region eu-north-1 /logs/', 'gantry rm -r /eu-north-1');
    expect(left()).toEqual(all);
  });

  test('lists only folders where something could match, once to find it, and right before and after the removal', async () => {
    await gantry(['rm', '/logs/*.txt', '--yes'], { emulator });
    expect(emulator.calls.filter(({ endpoint }) => endpoint === 'listFolder').map(({ query }) => query.dir)).toEqual([
      '/logs/',
      '/logs/',
      '/logs/',
    ]);
  });

  test('that matches a folder needs -r, and has to be typed again', async () => {
    expect((await gantry(['rm', '/lo*', '--yes'], { emulator })).code).toBe(2);
    expect((await gantry(['rm', '-r', '/lo*', '--confirm', '/lo*'], { emulator })).code).toBe(0);
    expect(left()).toEqual(without('/logs'));
  });

  test('that matches nothing exits with 6, and nothing else is removed', async () => {
    const { code, stderr } = await gantry(['rm', '/top.txt', '/logs/*.bin', '--yes'], { emulator });
    expect([code, left()]).toEqual([6, all]);
    expect(stderr).toContain('nothing matches default:/logs/*.bin');
  });

  test('after a backslash is a name', async () => {
    for (const name of ['/a*', '/ab', '/[x]']) emulator.volume().write(name, 'x');
    await gantry(['rm', '/a\\*', '/\\[x\\]', '--yes'], { emulator });
    expect(left()).toEqual(['/ab', ...all]);
  });

  test('that is also the name of a file removes others only if both are typed', async () => {
    for (const name of ['/a*b', '/acb', '/w[1]']) emulator.volume().write(name, 'x');
    const before = left();
    const { code, stderr } = await gantry(['rm', '/a*b', '--yes'], { emulator });
    expect([code, left()]).toEqual([2, before]);
    expect(stderr).toContain('default:/a*b is the name of a file, and a pattern that matches 1 other');
    expect(stderr).toContain("for that name alone: gantry rm 'default:/a\\*b'");
    const other = await gantry(['rm', '/w[1]', '--yes'], { emulator });
    expect(other).toExit(6, 'nothing matches', "for a file of that name: gantry rm 'default:/w\\[1\\]'");
    expect(left()).toEqual(before);
    await gantry(['rm', 'default:/a\\*b', 'default:/a*b', ':/w\\[1\\]', '--yes'], { emulator });
    expect(left()).toEqual(all);
  });

  test('that is invalid is refused', async () => {
    expect((await gantry(['rm', '/a[b', '--yes'], { emulator })).code).toBe(2);
  });
});

describe('failures', () => {
  test.each(['/nothing.txt', '/nothing/', '/top.txt/', '/logs/nothing.txt'])('%s is not found', async (path) => {
    const { code } = await gantry(['rm', '/top.txt', path, '--yes'], { emulator });
    expect([code, left()]).toEqual([6, all]);
  });

  test('retries after a lost reply', async () => {
    emulator.fail('deletePath', 'reset-after');
    expect(await gantry(['rm', '/top.txt', '--yes'], { emulator })).toPrint('removed default:/top.txt\n');
    expect(removals().map(({ status }) => status)).toEqual([undefined, 404]);
  });

  test('are reported for each path, and the rest is removed', async () => {
    emulator.fail('deletePath', 403);
    const { code, stderr, json } = await gantry(['rm', '/logs/*.txt', '/top.txt', '--yes', '--json'], { emulator });
    expect(code).toBe(5);
    expect(stderr).toContain('warning: default:/logs/a.txt: Forbidden');
    expect(left()).toEqual(without('/logs/b.txt', '/top.txt'));
    expect(json()).toMatchObject({
      error: { details: { failed: [{ path: 'default:/logs/a.txt' }], removed: expect.any(Array) } },
    });
  });

  test('of several kinds exit with 1', async () => {
    emulator.fail('deletePath', 403, 400);
    const outcome = await gantry(['rm', '/logs/*.txt', '/top.txt', '--yes'], { emulator });
    expect(outcome).toExit(1, 'error: 2 of 3 could not be removed');
  });
});

describe('a removal counts only if the volume no longer lists the path', () => {
  /** Answers removals of a path, or all, without removing anything. */
  const refusing =
    (answer: Answer, path?: string): Answering =>
    ({ route, query }) =>
      route.startsWith('DELETE ') && (path === undefined || query.get('file_path') === path) ? answer : undefined;
  const rm = async (words: string[], answering: Answering) =>
    gantry(['rm', ...words], { emulator, env: await inFrontOf(emulator, answering) });

  test('of several paths only the one that is still listed fails', async () => {
    const answering = refusing({ type: 'text/plain', body: 'file deleted' }, '/logs/a.txt');
    const { code, json } = await rm(['/logs/*.txt', '/top.txt', '--yes', '--json'], answering);
    expect([code, left()]).toEqual([69, without('/logs/b.txt', '/top.txt')]);
    expect(json()).toMatchObject({
      error: {
        details: { failed: [{ path: 'default:/logs/a.txt' }], removed: ['default:/logs/b.txt', 'default:/top.txt'] },
      },
    });
  });

  test('the whole volume fails if it is still listed', async () => {
    const { code } = await rm(['-r', '/', '--confirm', '/'], refusing({ type: 'text/plain', body: 'deleted' }));
    expect([code, left()]).toEqual([69, all]);
  });

  test('a 404 for a file that is still listed is an error', async () => {
    const body = '{"message":"volume default does not exist in this region"}';
    const { code, stdout, stderr } = await rm(['/top.txt', '--yes'], refusing({ status: 404, body }));
    expect([code, stdout]).toEqual([6, '']);
    expect(stderr).toContain('volume default does not exist in this region');
  });

  test('a 404 for a file that is gone is a success with a note', async () => {
    const { code, stdout, stderr } = await rm(['/top.txt', '--yes'], async ({ route }, pass) => {
      if (!route.startsWith('DELETE ')) return undefined;
      await pass();
      return pass();
    });
    expect([code, stdout]).toEqual([0, 'removed default:/top.txt\n']);
    expect(stderr).toContain('default:/top.txt was already gone');
  });

  test('waits for a listing that lags behind', async () => {
    let listings = 0;
    const env = await inFrontOf(emulator, ({ route }) =>
      route.endsWith('/ls') && ++listings === 3 ? { body: '[{"name":"top.txt","size_bytes":8}]' } : undefined,
    );
    const { code, waits } = await gantry(['rm', '/top.txt', '--yes'], { emulator, env });
    expect([code, waits]).toEqual([0, [500]]);
  });

  test('a removal fails if the folder cannot be listed', async () => {
    let listings = 0;
    const { code, stdout, stderr } = await rm(['/top.txt', '--yes'], ({ route }) =>
      route.endsWith('/ls') && ++listings > 1 ? { status: 403, body: '{"message":"no listing"}' } : undefined,
    );
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr).toContain('the removal could not be confirmed: no listing');
  });

  test('of what may not be listed is asked for by name', async () => {
    const env = await inFrontOf(emulator, ({ route }) =>
      route.endsWith('/ls') ? { status: 403, body: '{"message":"no listing"}' } : undefined,
    );
    const asked = await gantry(['rm', '-r', '/logs/'], { emulator, env, columns: 80, stdin: keys('/logs/\r') });
    expect(asked.stderr).toContain('This permanently removes 1 folder with everything in it.');
    expect(left()).toEqual(without('/logs/'));
  });
});

test('removes files with hostile names, and shows the names sanitized', async () => {
  const evil = 'a\u001b[2J\u001b[31m\u0007\n*b';
  emulator.volume().write(evil, 'x');
  const { stderr, stdout } = await gantry(['rm', '/a*', '--yes'], { emulator, env: { FORCE_COLOR: '1' } });
  expect(left()).toEqual(all);
  expect(stdout + stderr).not.toMatch(/[\u001b\u0007]/);
});
