import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Emulator, type EmulatorOptions, startEmulator } from '../support/emulators.ts';
import { filesIn, lay, newFolder, noise, withoutProgress } from '../support/files.ts';
import { gantry as run, type Setting } from '../support/gantry.ts';
import { alsoListing } from '../support/in-front-of.ts';
import { atFirstCall } from '../support/requests.ts';
import { expectNoTrace } from '../support/traces.ts';

let emulator: Emulator;
let home: string;
let here: string;

/** Two parts: one of the least length there is, and a short one. */
const big = noise(5 * 2 ** 20 + 2 ** 17);
const parts = ['--part-size', '5MiB'];

async function begin(options: EmulatorOptions = {}): Promise<void> {
  await emulator?.close();
  emulator = await startEmulator(options);
  home = newFolder();
  here = newFolder({ 'f/big': big, 'f/small': 'small', 'f/empty': '' });
}

beforeEach(() => begin());
afterEach(() => emulator.close());

const gantry = (words: string[], setting: Setting = {}) =>
  run(words, { emulator, cwd: here, ...setting, env: { GANTRY_CONFIG_DIR: home, ...setting.env } });

/** Impatient only where a connection falls silent: on a busy machine any healthy answer may take a while. */
const impatience = (fault: string): Setting => (fault.startsWith('stall') ? { io: { silenceMs: 1_000 } } : {});

const volume = () => emulator.volume();
const calls = (endpoint: string) => emulator.calls.filter((call) => call.endpoint === endpoint);

function expectWholeThere(): void {
  expect(volume().read('/f/big')?.equals(big)).toBe(true);
  expect([volume().text('/f/small'), volume().text('/f/empty')]).toEqual(['small', '']);
}

function expectBig(): void {
  expect(volume().read('/f/big')?.equals(big)).toBe(true);
}

/** A request, with each of these faults. */
const failing = (target: Parameters<Emulator['fail']>[0], faults: string) =>
  faults.split(' ').map((fault) => [target, fault] as const);

describe('all files are uploaded', () => {
  const [silent, ends] = [failing('part', 'stall-during'), failing('completeUpload', 'stall html')];
  test.each([...silent, ...ends])('although %s fails with %s', async (target, fault) => {
    emulator.fail(target, fault);
    const outcome = await gantry(['cp', 'f', ':/f', ...parts], impatience(fault));
    expect([outcome.code, outcome.stderr]).toEqual([0, expect.not.stringContaining('not copied')]);
    expectWholeThere();
    expectNoTrace(outcome, emulator);
    expect(filesIn(home)).toEqual([]);
  });

  test('despite all kinds of failures, and each of them is met', async () => {
    const faults = ['reset-during', 503, 'wrong-etag', 'no-etag', 'reset-after', 'slow-down', 'expired'] as const;
    emulator.fail('part', ...faults);
    emulator.fail('initializeUpload', 500, '429:1', 'reset-after');
    emulator.fail('completeUpload', 'reset-after', 503, 'reset-after');
    const outcome = await gantry(['cp', 'f', ':/f', ...parts]);
    expect([outcome.code, outcome.stderr]).toEqual([0, expect.not.stringContaining('not copied')]);
    // Three files have three parts with content.
    expect(calls('part').length).toBeGreaterThanOrEqual(faults.length + 3);
    expectWholeThere();
    expectNoTrace(outcome, emulator);
    expect(filesIn(home)).toEqual([]);
  });

  test('without taking an existing file of the same size for a lost upload', async () => {
    volume().write('/f/small', 'SMALL', Date.now() - 60_000);
    emulator.fail('completeUpload', 'reset-before');
    expect((await gantry(['cp', 'f/small', ':/f/'])).code).toBe(0);
    expect(volume().text('/f/small')).toBe('small');
    expect(calls('completeUpload')).toHaveLength(2);
  });

  test('retrying only the failed part', async () => {
    emulator.fail('part', 'reset-during');
    await gantry(['cp', 'f/big', ':/f/', ...parts]);
    expect(calls('part')).toHaveLength(3);
    expect(calls('initializeUpload')).toHaveLength(1);
  });
});

describe('a file that cannot be uploaded is reported, and the others are uploaded,', () => {
  test('if the storage refuses it: a 4xx is not retried', async () => {
    emulator.fail('part', '403');
    const outcome = await gantry(['cp', 'f/small', ':/f/']);
    expect(outcome).toExit(1, 'the storage rejected the upload (HTTP 403, Forbidden: Forbidden)');
    expect(calls('part')).toHaveLength(1);
    emulator.fail('part', '403');
    expect((await gantry(['cp', 'f', ':/f', '--json'])).json()).toMatchObject({
      files: 2,
      failed: [{ code: 'failed' }],
    });
    expect(volume().paths()).toHaveLength(2);
  });

  test.each([
    [400, 1],
    [403, 5],
    [409, 7],
  ])('if the platform refuses to complete it (HTTP %i): asked once', async (status, exit) => {
    emulator.fail('completeUpload', status);
    const { code, waits } = await gantry(['cp', 'f/small', ':/f/']);
    expect([code, waits]).toEqual([exit, []]);
    expect(calls('completeUpload')).toHaveLength(1);
    expect(volume().paths()).toEqual([]);
  });

  describe('or all files fail', () => {
    /** Copies three files; while the first one that failed waits for its next try, `error` is thrown. */
    const copyWith = (error: Error) => {
      emulator.fail('part', 500);
      const errors = [error];
      const meanwhile = () => {
        for (const each of errors.splice(0)) throw each;
      };
      return gantry(['cp', 'f', ':/f', '--concurrency', '1', '--json', ...parts], { meanwhile });
    };

    test('an error of the disk fails one file', async () => {
      const outcome = await copyWith(
        Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' }),
      );
      expect(outcome.code).toBe(1);
      expect(outcome.json()).toMatchObject({ files: 2, failed: [{ code: 'failed' }] });
      expect(volume().paths()).toHaveLength(2);
    });

    test('a mistake in gantry ends the copy with exit 70', async () => {
      const outcome = await copyWith(new TypeError('x is not a function'));
      expect(outcome.code).toBe(70);
      expect(outcome.json()).toMatchObject({ error: { exitCode: 70 } });
    });
  });

  test('if the storage stores other content on every attempt', async () => {
    emulator.fail('part', 'wrong-etag*');
    const outcome = await gantry(['cp', 'f/small', ':/f/']);
    expect(outcome).toExit(69, 'checksum mismatch (MD5): the storage received different bytes');
    expect(volume().paths()).toEqual([]);
  });

  test('if its reply has no ETag on every attempt', async () => {
    emulator.fail('part', 'no-etag*');
    expect(await gantry(['cp', 'f/small', ':/f/'])).toMatchObject({ code: 69 });
    expect(volume().paths()).toEqual([]);
  });

  test('if its signed URLs expire too early each time', async () => {
    emulator.fail('part', 'expired*');
    const outcome = await gantry(['cp', 'f/small', ':/f/']);
    expect(outcome).toExit(1, 'its upload URLs expired 4 times before the upload finished (they are valid for 600 s)');
  });

  test('if all of them are denied, with the exit code for that', async () => {
    emulator.fail('initializeUpload', '403*');
    const { code, json } = await gantry(['cp', 'f', ':/f', '--json']);
    expect(code).toBe(5);
    expect(json()).toMatchObject({ files: 0, failed: [{ code: 'denied' }, { code: 'denied' }, { code: 'denied' }] });
  });

  test('if it cannot be read', async () => {
    mkdirSync(join(here, 'f/odd'));
    symlinkSync('loop', join(here, 'f/odd/loop'));
    const { code, json } = await gantry(['cp', 'f', ':/f', '--json']);
    expect(code).toBe(1);
    expect(json()).toMatchObject({
      files: 3,
      failed: [{ path: 'odd/loop', reason: 'it is a symbolic link, or symbolic links form a loop' }],
    });
  });
});

test.each([
  [401, 4],
  [402, 14],
])('a failure that concerns all files (HTTP %i) ends the copy at the first reply', async (status, exit) => {
  lay(here, { 'm/1': '1', 'm/2': '2', 'm/3': '3' });
  emulator.fail('initializeUpload', `${status}*`);
  const { code } = await gantry(['cp', 'm', ':/m', '--concurrency', '1']);
  expect([code, calls('initializeUpload').length, volume().paths()]).toEqual([exit, 1, []]);
});

test('stops at the first reply without a valid token', async () => {
  const { code } = await gantry(['cp', 'f', ':/f'], { env: { GANTRY_TOKEN: emulator.issueToken({ exp: 1 }) } });
  expect(code).toBe(4);
  expect(emulator.calls).toEqual([]);
});

test('stops after many failures of one kind', async () => {
  lay(here, Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`many/${index}`, ''])));
  emulator.fail('initializeUpload', '403*');
  const outcome = await gantry(['cp', 'many', ':/many', '--concurrency', '4']);
  expect(outcome).toExit(5, /3\d files failed, the last 32 with the same error/);
  expect(calls('initializeUpload').length).toBeLessThan(50);
});

describe('all files are downloaded', () => {
  beforeEach(() => {
    volume().write('/f/big', big);
    volume().write('/f/small', 'small');
    volume().write('/f/empty', '');
  });

  const expectWholeHere = () => {
    expect(readFileSync(join(here, 'g/big')).equals(big)).toBe(true);
    expect(readFileSync(join(here, 'g/small'), 'utf8')).toBe('small');
    expect(filesIn(join(here, 'g'))).toEqual(['big', 'empty', 'small']);
  };

  test.each<[string, () => void]>([
    ['an object stalls', () => emulator.fail('object', 'stall-during')],
    [
      'all else fails, each of it once',
      () => {
        emulator.fail('object', 'reset-before', 'reset-during', 'truncated', 'slow-down', 'expired');
        emulator.fail('getDownloadLink', 'html');
        emulator.fail('listFolder', '429:1');
      },
    ],
  ])('although %s', async (what, fail) => {
    fail();
    const outcome = await gantry(['cp', ':/f', 'g', ...parts], what.includes('stalls') ? impatience('stall') : {});
    expect(calls('object').length).toBeGreaterThanOrEqual(what.includes('stalls') ? 3 : 5);
    expect(outcome.stderr).not.toContain('not copied');
    expect(outcome.code).toBe(0);
    expectWholeHere();
    expectNoTrace(outcome, emulator);
    expect(filesIn(home)).toEqual([]);
  });

  test('although a byte was changed on the way', async () => {
    emulator.fail('object', 'corrupt');
    expect((await gantry(['cp', ':/f/small', 'small'])).code).toBe(0);
    expect(readFileSync(join(here, 'small'), 'utf8')).toBe('small');
  });

  test('and --verify detects a changed byte of files that were uploaded in parts', async () => {
    await gantry(['cp', 'f/big', ':/parts', ...parts]);
    emulator.fail('object', 'corrupt');
    const outcome = await gantry(['cp', ':/parts', 'big', '--verify', ...parts]);
    expect(outcome).toExit(0, /big: the copy differs from the source after byte \d+; copying again/);
    expect(readFileSync(join(here, 'big')).equals(big)).toBe(true);
  });

  test('and a file that is replaced meanwhile is the new one', async () => {
    emulator.fail('object', 'changed');
    expect((await gantry(['cp', ':/f/big', 'big', ...parts])).code).toBe(0);
    expect(readFileSync(join(here, 'big'), 'utf8')).toBe('this was changed while it was read\n');
  });

  test('and one that is replaced meanwhile arrives on another place of the volume', async () => {
    emulator.fail('object', 'changed');
    expect(await gantry(['cp', ':/f/big', ':/g/big', ...parts])).toExit(0, 'copying again');
    expect(emulator.volume().text('/g/big')).toBe('this was changed while it was read\n');
  });

  test('and the old file stays in place until the new one is complete', async () => {
    lay(here, { big: 'old' });
    emulator.fail('object', '403*');
    expect((await gantry(['cp', ':/f/big', 'big', ...parts])).code).toBe(1);
    expect(readFileSync(join(here, 'big'), 'utf8')).toBe('old');
    expect(filesIn(here)).toEqual(['big', 'f/big', 'f/empty', 'f/small']);
  });
});

describe('nothing is written outside of the target folder', () => {
  // Of names that lead out of it: names-outside-their-folder.test.ts.
  test('by a name with NUL', async () => {
    volume().write('/t/good', 'good');
    const env = await alsoListing(emulator, '/t/', 'nul\0byte');
    const { code, json } = await gantry(['cp', ':/t', 'sub/t', '--json'], { env });
    expect(code).toBe(1);
    const reason = expect.stringContaining('name cannot be used on this machine');
    expect(json()).toMatchObject({ files: 1, failed: [{ reason }] });
    expect(filesIn(here)).toEqual(['f/big', 'f/empty', 'f/small', 'sub/t/good']);
  });

  test('through a symbolic link out of the folder', async () => {
    const outside = newFolder({ file: 'mine' });
    mkdirSync(join(here, 't'));
    symlinkSync(outside, join(here, 't/link'));
    symlinkSync(join(outside, 'file'), join(here, 't/file'));
    volume().write('/t/link/new', 'no');
    volume().write('/t/file', 'theirs');
    const { code, json } = await gantry(['cp', ':/t', 't', '--json']);
    expect(code).toBe(1);
    expect(json()).toMatchObject({
      failed: [{ path: 'link/new', reason: 'link is a symbolic link to a path outside the target folder' }],
    });
    expect(filesIn(outside)).toEqual(['file']);
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('mine');
    expect(readFileSync(join(here, 't/file'), 'utf8')).toBe('theirs');
  });

  test.each([['x'], ['x/y']])('through a symbolic link that replaces %s during the copy', async (planted) => {
    const outside = newFolder();
    for (let index = 0; index < 30; index++) volume().write(`/t/x/y/${index}`, 'no');
    atFirstCall(emulator, 'object', () => {
      renameSync(join(here, 't', planted), join(here, 'moved'));
      symlinkSync(outside, join(here, 't', planted));
    });
    const { code, json } = await gantry(['cp', ':/t', 't', '--json', '--concurrency', '4']);
    expect(code).toBe(1);
    const { files, failed } = json() as { files: number; failed: { reason: string }[] };
    expect([files, failed.length]).toEqual([0, 30]);
    for (const { reason } of failed) {
      expect(reason).toMatch(/to a path outside the target folder|was replaced in the meantime/);
    }
    expect(filesIn(outside)).toEqual([]);
  });

  test('and a folder in place of a file stays', async () => {
    mkdirSync(join(here, 't/a'), { recursive: true });
    volume().write('/t/a', 'file');
    volume().write('/t/b', 'file');
    const { json } = await gantry(['cp', ':/t', 't', '--json']);
    expect(json()).toMatchObject({ files: 1, failed: [{ path: 'a', reason: 'a folder with that name exists' }] });
    expect(filesIn(join(here, 't'))).toEqual(['b']);
  });
});

describe('an interrupted copy', () => {
  test('resumes an upload without sending finished parts again', async () => {
    emulator.fail('completeUpload', 500);
    const first = await gantry(['cp', 'f/big', ':/f/', ...parts], { stop: /retrying in/ });
    expect(first.code).toBe(130);
    expect(first.stderr).toContain('finished files and parts are kept: run the same command again to resume');
    expect(first.stderr).toContain('fix run the same command again to resume');
    expectNoTrace(first, emulator);
    expect(filesIn(home)).toHaveLength(1);
    expect(statSync(join(home, filesIn(home)[0] ?? '')).mode & 0o777).toBe(0o600);

    const sent = calls('part').length;
    const { code, json, stderr } = await gantry(['cp', 'f/big', ':/f/', ...parts, '--json']);
    expect([code, withoutProgress(stderr)]).toEqual([0, 'resuming the previous copy\n']);
    expect(json()).toMatchObject({ files: 1, resumedBytes: big.length });
    expect(calls('part').length).toBe(sent);
    expectBig();
    expect(filesIn(home)).toEqual([]);
  });

  test.each([
    ['keeps the parts it began with', [], 12 * 2 ** 20],
    ['starts over if a flag requests other parts', parts, 0],
  ])('%s', async (_, flags, resumedBytes) => {
    const [large, sixMib] = [noise(12 * 2 ** 20), ['--part-size', '6MiB']];
    writeFileSync(join(here, 'large'), large);
    emulator.fail('completeUpload', 500);
    await gantry(['cp', 'large', ':/large', ...sixMib], { stop: /retrying in/ });
    const up = await gantry(['cp', 'large', ':/large', ...flags, '--json', '--debug']);
    expect([up.code, up.json()]).toMatchObject([0, { resumedBytes }]);
    expect(up.stderr).toContain(`large: 12.0 MiB in ${flags.length > 0 ? '3 parts of 5' : '2 parts of 6'} MiB`);

    emulator.fail('object', 'none', 'reset-during');
    await gantry(['cp', ':/large', 'g', ...sixMib, '--concurrency', '1'], { stop: /retrying in/ });
    const down = await gantry(['cp', ':/large', 'g', ...flags, '--json']);
    expect([down.code, down.json()]).toMatchObject([0, { resumedBytes: resumedBytes / 2 }]);
    expect(readFileSync(join(here, 'g')).equals(large)).toBe(true);
  });

  test('starts over with --no-resume', async () => {
    emulator.fail('completeUpload', 500);
    await gantry(['cp', 'f/big', ':/f/', ...parts], { stop: /retrying in/ });
    const { code, json } = await gantry(['cp', 'f/big', ':/f/', ...parts, '--no-resume', '--json']);
    expect(code).toBe(0);
    expect(json()).toMatchObject({ resumedBytes: 0 });
    expect(calls('part')).toHaveLength(4);
    expect(filesIn(home)).toEqual([]);
  });

  test('starts over if the file changed meanwhile', async () => {
    emulator.fail('completeUpload', 500);
    await gantry(['cp', 'f/big', ':/f/', ...parts], { stop: /retrying in/ });
    const other = noise(big.length, 'other');
    writeFileSync(join(here, 'f/big'), other);
    expect((await gantry(['cp', 'f/big', ':/f/', ...parts])).code).toBe(0);
    expect(volume().read('/f/big')?.equals(other)).toBe(true);
  });

  test('starts over if the signed URLs have expired', async () => {
    let now = Date.now();
    await begin({ now: () => now });
    emulator.fail('completeUpload', 500);
    await gantry(['cp', 'f/big', ':/f/', ...parts], { stop: /retrying in/ });
    now += 3_600_000;
    expect((await gantry(['cp', 'f/big', ':/f/', ...parts])).code).toBe(0);
    expectBig();
  });

  test('starts over if the platform dropped the upload session', async () => {
    emulator.fail('completeUpload', 500);
    await gantry(['cp', 'f/big', ':/f/', ...parts], { stop: /retrying in/ });
    emulator.reset();
    expect((await gantry(['cp', 'f/big', ':/f/', ...parts])).code).toBe(0);
    expectBig();
  });

  const temporary = /^\.gantry-[0-9a-f]{16}-0$/;

  test('resumes a download, or starts over if the remote file changed', async () => {
    for (const changes of [false, true]) {
      volume().write('/f/big', big);
      emulator.fail('object', 'none', 'reset-during');
      const first = await gantry(['cp', ':/f/big', 'g', ...parts, '--concurrency', '1'], {
        stop: /retrying in/,
      });
      expect(first.code).toBe(130);
      expect(filesIn(here)).toContainEqual(expect.stringMatching(temporary));
      const other = noise(big.length, 'other');
      if (changes) volume().write('/f/big', other);
      const { code, json } = await gantry(['cp', ':/f/big', 'g', ...parts, '--json']);
      expect(code).toBe(0);
      expect(json()).toMatchObject({ resumedBytes: changes ? 0 : 5 * 2 ** 20 });
      expect(readFileSync(join(here, 'g')).equals(changes ? other : big)).toBe(true);
      expect(filesIn(here)).not.toContainEqual(expect.stringMatching(temporary));
    }
  });

  test('copies without a journal if it cannot be written, and says so once', async () => {
    const { code, stderr } = await gantry(['cp', 'f', ':/f', ...parts], {
      env: { GANTRY_CONFIG_DIR: join(here, 'f/big') },
    });
    expect(withoutProgress(stderr)).toBe(
      `if interrupted, this copy cannot be resumed: cannot write to ${join(here, 'f/big/state/transfers')}: part of its path is a file, not a folder\n`,
    );
    expect(code).toBe(0);
    expectWholeThere();
  });

  test.runIf(process.platform === 'linux')('names the journal folder that cannot be created', async () => {
    const { code, stderr } = await gantry(['cp', 'f', ':/f', ...parts], { env: { GANTRY_CONFIG_DIR: '/proc/gantry' } });
    expect(withoutProgress(stderr)).toBe(
      'if interrupted, this copy cannot be resumed: cannot write to /proc/gantry/state/transfers: the folder does not exist and cannot be created\n',
    );
    expect(code).toBe(0);
    expectWholeThere();
  });
});

describe('a file that changes during the upload', () => {
  const changed = async (times: number) => {
    lay(here, { log: 'x'.repeat(300_000) });
    emulator.fail('part', ...Array.from({ length: times }, () => 'slow' as const));
    const copying = gantry(['cp', 'log', ':/log', '--json']);
    for (let time = 1; time <= times; time++) {
      while (calls('part').length < time) await setTimeout(5);
      appendFileSync(join(here, 'log'), `line ${time}\n`);
    }
    return copying;
  };

  test('is uploaded again', async () => {
    const { code, stderr } = await changed(1);
    expect([code, withoutProgress(stderr)]).toEqual([0, 'log: the file changed during the upload; copying again\n']);
    expect(volume().text('/log')).toBe(readFileSync(join(here, 'log'), 'utf8'));
  });

  test('fails if it changes again, and is never stored half', async () => {
    expect(await changed(2)).toExit(1, 'log was not copied: the file changed during the upload');
    expect(volume().paths()).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('a file that becomes a FIFO after it was listed', () => {
  test.each([10, 100_000])('fails by name, and the other files are copied (%i bytes)', async (bytes) => {
    lay(here, { 'g/a': 'a', 'g/b': noise(bytes), 'g/c': 'c' });
    atFirstCall(emulator, 'initializeUpload', () => {
      rmSync(join(here, 'g/b'));
      execFileSync('mkfifo', [join(here, 'g/b')]);
    });
    const { code, json } = await gantry(['cp', 'g', ':/g', '--json', '--concurrency', '1']);
    expect(code).toBe(1);
    expect(json()).toMatchObject({ files: 2, failed: [{ path: 'b', reason: 'it is no longer a regular file' }] });
    expect(volume().paths()).toEqual(['/g/a', '/g/c']);
  });
});

describe('two uploads at the same time', () => {
  test('to the same file run concurrently, and the result is one of the files', async () => {
    const [one, two] = [noise(big.length, 'one'), noise(big.length, 'two')];
    here = newFolder({ 'one/big': one, 'two/big': two });
    const ended = await Promise.all([
      gantry(['cp', 'one', ':/f', ...parts]),
      gantry(['cp', 'two/big', ':/f/big', ...parts]),
    ]);
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    const content = emulator.volume().read('/f/big');
    expect([one, two].filter((each) => content?.equals(each))).toHaveLength(1);
  });

  test('of the same sources to the same target are refused (exit code 7)', async () => {
    const again = () => gantry(['cp', 'f', ':/f', ...parts]);
    const ended = await Promise.all([again(), again()]);
    expect(ended.map(({ code }) => code).sort()).toEqual([0, 7]);
    expect(emulator.volume().read('/f/big')?.equals(big)).toBe(true);
  });
});

describe('a second attempt after some files failed', () => {
  const first = async () => {
    lay(here, Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`f/${index}`, 'x'])));
    emulator.fail('initializeUpload', '403');
    expect((await gantry(['cp', 'f', ':/f'])).code).toBe(5);
  };

  test('copies only the failed files', async () => {
    await first();
    const before = calls('part').length;
    const { json } = await gantry(['cp', 'f', ':/f', '--json']);
    expect(json()).toMatchObject({ files: 83, failed: [] });
    expect(calls('part').length - before).toBe(1);
    expect(filesIn(home)).toEqual([]);
  });

  test('also copies files that were removed or changed on the volume meanwhile', async () => {
    await first();
    volume().write('/f/7', 'y', Date.now() + 3_600_000);
    await gantry(['rm', ':/f/8', '--yes']);
    await gantry(['cp', 'f', ':/f']);
    expect([volume().text('/f/7'), volume().text('/f/8')]).toEqual(['x', 'x']);
  });
});
