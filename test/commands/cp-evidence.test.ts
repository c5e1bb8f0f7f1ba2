import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../support/emulators.ts';
import { filesIn, newFolder, noise } from '../support/files.ts';
import { gantry as run, type Setting } from '../support/gantry.ts';
import { type Answering, type Call, inFrontOf } from '../support/in-front-of.ts';

let emulator: Emulator;
let home: string;
let here: string;
let answers: Answering;
let platform: Record<string, string> | undefined;

beforeEach(async () => {
  platform = undefined;
  emulator = await startEmulator();
  home = newFolder();
  here = newFolder({ 'f/a.txt': 'first', 'f/b.txt': 'second', 'f/c.txt': 'third' });
});
afterEach(() => emulator.close());

const shelf = () => emulator.volume();
const calls = (endpoint: string) => emulator.calls.filter((call) => call.endpoint === endpoint);

/** One platform in each test, which may change its answers: a copy resumes on the platform where it began. */
async function gantry(words: string[], answering: Answering, setting: Setting = {}) {
  answers = answering;
  platform ??= await inFrontOf(emulator, (call, pass) => answers(call, pass));
  const env = { GANTRY_CONFIG_DIR: home, ...platform };
  return run(words, { emulator, cwd: here, ...setting, env: { ...env, ...setting.env } });
}

const truthful: Answering = () => undefined;
const isComplete = (call: Call, path: string) =>
  call.route.endsWith('/cp/complete') && JSON.parse(call.body).file_path === path;
const isListing = ({ route }: Call) => route.endsWith('/ls');

/** Answers that the file is there, and does nothing. */
const losing =
  (path: string, answer = { body: '{}' }): Answering =>
  (call) =>
    isComplete(call, path) ? answer : undefined;

/** Does what it is asked for, but keeps something else. */
const keeping =
  (path: string, content: string): Answering =>
  async (call, pass) => {
    if (!isComplete(call, path)) return undefined;
    const answer = await pass();
    shelf().write(path, content);
    return answer;
  };

describe('an upload that the platform confirmed counts only if the volume lists it', () => {
  test('a missing file fails by name, with exit code 69', async () => {
    const { code, stderr, json } = await gantry(['cp', 'f/a.txt', ':/x/', '--json'], losing('/x/a.txt'));
    expect(code).toBe(69);
    expect(stderr).toContain('a.txt was not copied: the platform confirmed the upload, but the volume does not list');
    expect(json()).toMatchObject({ error: { retryable: true, details: { files: 0, bytes: 0 } } });
  });

  test('a web page with status 200 is no confirmation', async () => {
    const page = { type: 'text/html', body: '<!doctype html><title>Sign in</title>' };
    const { code } = await gantry(['cp', 'f/a.txt', ':/x/'], losing('/x/a.txt', page));
    expect(code).not.toBe(0);
    expect(shelf().paths()).toEqual([]);
  });

  test('of a folder only the missing file fails', async () => {
    const { code, json } = await gantry(['cp', 'f', ':/x', '--json'], losing('/x/b.txt'));
    expect(code).toBe(69);
    expect(json()).toMatchObject({ files: 2, bytes: 10, failed: [{ path: 'b.txt', code: 'unavailable' }] });
  });

  test('a file with a missing part fails with both sizes', async () => {
    const outcome = await gantry(['cp', 'f', ':/x'], keeping('/x/c.txt', 'th'));
    expect(outcome).toExit(69, 'c.txt was not copied: ', 'the volume lists 2 bytes instead of 5');
  });

  test('an earlier file of the same size does not count', async () => {
    shelf().write('/x/a.txt', 'FIRST', Date.now() - 5_000);
    const outcome = await gantry(['cp', 'f', ':/x'], losing('/x/a.txt'));
    expect(outcome).toExit(69, 'a.txt was not copied: the platform confirmed the upload, but the volume still has');
    expect(shelf().text('/x/a.txt')).toBe('FIRST');
  });

  /** Listings in which these fields of all entries have other values. */
  const listing =
    (fields: object, other: Answering = truthful): Answering =>
    async (call, pass) => {
      if (!isListing(call)) return other(call, pass);
      const entries = JSON.parse((await pass()).body) as object[];
      return { body: JSON.stringify(entries.map((entry) => ({ ...entry, ...fields }))) };
    };

  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();

  test.each([null, '2020-01-01T00:00:00Z', inAnHour])(
    'an earlier file of the same size does not count if all files have the time %j',
    async (last_modified) => {
      shelf().write('/x/a.txt', 'FIRST', Date.now() - 5_000);
      const { code, stderr } = await gantry(['cp', 'f', ':/x'], listing({ last_modified }, losing('/x/a.txt')));
      expect(code).toBe(69);
      expect(stderr).toContain('a.txt was not copied: the platform confirmed the upload, but the volume still has');
      expect(stderr).not.toContain('b.txt');
    },
  );

  test('--no-checksum without times says that it is not confirmed', async () => {
    shelf().write('/x/a.txt', 'FIRST', Date.now() - 5_000);
    const answering = listing({ last_modified: null }, losing('/x/a.txt'));
    const { code, stderr, json } = await gantry(['cp', 'f', ':/x', '--no-checksum', '--json'], answering);
    expect([code, json()]).toMatchObject([69, { files: 2, failed: [{ path: 'a.txt' }] }]);
    expect(stderr).toContain('a.txt was uploaded, but not confirmed: cannot tell the upload from an earlier file');
    expect(stderr).toContain('run the command again without --no-checksum');
    expect(stderr).not.toContain('is not copied');
  });

  test('an earlier large file of the same size does not count, and reading it back is announced', async () => {
    here = newFolder({ big: noise(2 * 2 ** 20) });
    shelf().write('/big', noise(2 * 2 ** 20, 'earlier'), Date.now() - 60_000);
    const { code, stderr } = await gantry(['cp', 'big', ':/'], losing('/big'));
    expect(code).toBe(69);
    expect(stderr).toContain('reading big back to confirm it: the volume reports no newer modification time');
    expect(stderr).toContain('the volume still has the earlier content');
  });

  test.each([
    ['sync', ['sync', 'f', ':/x'], ''],
    ['a copy of stdin', ['cp', '-', ':/x/a.txt'], 'first'],
    ['a copy from volume to volume', ['cp', ':/from/a.txt', ':/x/'], ''],
  ])('%s confirms it as well', async (_, words, stdin) => {
    shelf().write('/from/a.txt', 'first');
    const { code } = await gantry([...words], losing('/x/a.txt'), { stdin });
    expect([code, shelf().text('/x/a.txt')]).toEqual([69, undefined]);
  });

  test('the same command uploads it again', async () => {
    await gantry(['cp', 'f', ':/x'], losing('/x/b.txt'));
    const { code, json } = await gantry(['cp', 'f', ':/x', '--json'], truthful);
    expect([code, json()]).toMatchObject([0, { files: 3, resumedBytes: 10 }]);
    expect(shelf().text('/x/b.txt')).toBe('second');
    expect(filesIn(home)).toEqual([]);
  });

  test('the same command uploads it again although an earlier file has its size', async () => {
    shelf().write('/x/b.txt', 'SECOND', Date.now() - 5_000);
    await gantry(['cp', 'f', ':/x'], losing('/x/b.txt'));
    const { code } = await gantry(['cp', 'f', ':/x'], truthful);
    expect([code, shelf().text('/x/b.txt')]).toEqual([0, 'second']);
  });

  /** Listings whose clock is ahead of everybody else's. */
  const ahead =
    (seconds: number, other: Answering): Answering =>
    async (call, pass) => {
      if (!isListing(call)) return other(call, pass);
      const entries = JSON.parse((await pass()).body) as { last_modified: string }[];
      const later = ({ last_modified }: { last_modified: string }) =>
        new Date(Date.parse(last_modified) + seconds * 1_000).toISOString();
      return { body: JSON.stringify(entries.map((entry) => ({ ...entry, last_modified: later(entry) }))) };
    };

  test('an earlier file does not count when the command is repeated later, whatever the clock of the listing', async () => {
    shelf().write('/x/a.txt', 'FIRST', Date.now() - 5_000);
    const lying = ahead(20, losing('/x/a.txt'));
    const first = await gantry(['cp', 'f/a.txt', ':/x/'], lying);
    const inAMinute = { clock: { jumps: () => 60_000 } };
    const second = await gantry(['cp', 'f/a.txt', ':/x/'], lying, inAMinute);
    expect([first.code, second.code, shelf().text('/x/a.txt')]).toEqual([69, 69, 'FIRST']);
  });

  test('an earlier file does not count if URLs are signed by a clock that is late', async () => {
    let lateMs = 0;
    await emulator.close();
    emulator = await startEmulator({ now: () => Date.now() - lateMs, linkSeconds: 7_200 });
    shelf().write('/x/a.txt', 'FIRST', Date.now() - 5_000);
    const { code } = await gantry(['cp', 'f/a.txt', ':/x/'], async (call, pass) => {
      if (!call.route.endsWith('/cp/initialize')) return losing('/x/a.txt')(call, pass);
      lateMs = 3_600_000;
      return pass().finally(() => {
        lateMs = 0;
      });
    });
    expect([code, shelf().text('/x/a.txt')]).toEqual([69, 'FIRST']);
  });

  test('stops early if the platform stores no file', async () => {
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`many/${n}/file`, 'x']));
    here = newFolder(files);
    const outcome = await gantry(['cp', 'many', ':/x'], ({ route }) =>
      route.endsWith('/cp/complete') ? { body: '{}' } : undefined,
    );
    expect(outcome).toExit(69, /the last 32 with the same error/);
  });
});

describe('confirming uploads', () => {
  /** Listings of a folder without the names given, as often as `times`. */
  const hiding =
    (folder: string, name: string, times: number): Answering =>
    async (call, pass) => {
      const isSent = calls('completeUpload').length > 0;
      if (!isListing(call) || call.query.get('dir') !== folder || !isSent || times-- <= 0) return undefined;
      const entries = JSON.parse((await pass()).body) as { name: string }[];
      return { body: JSON.stringify(entries.filter((entry) => entry.name !== name)) };
    };

  test('waits for a listing that lags behind', async () => {
    const { code, waits, json } = await gantry(['cp', 'f', ':/x', '--json'], hiding('/x/', 'b.txt', 2));
    expect([code, json()]).toMatchObject([0, { files: 3, failed: [] }]);
    expect(waits).toEqual([500, 1_000]);
  });

  test('lists each folder once', async () => {
    const names = Array.from({ length: 30 }, (_, n) => n);
    const files = ['one', 'two', 'three'].flatMap((folder) => names.map((n) => [`many/${folder}/${n}`, 'x']));
    here = newFolder(Object.fromEntries(files));
    const { code } = await gantry(['cp', 'many', ':/'], truthful);
    expect([code, shelf().paths().length]).toEqual([0, 90]);
    expect(calls('listFolder').map(({ query }) => query.dir)).toHaveLength(3);
  });

  test('works without times', async () => {
    const { code } = await gantry(['cp', 'f', ':/x'], async (call, pass) => {
      if (!isListing(call)) return undefined;
      const entries = JSON.parse((await pass()).body) as object[];
      return { body: JSON.stringify(entries.map((entry) => ({ ...entry, last_modified: '' }))) };
    });
    expect(code).toBe(0);
  });

  test('asks the storage about each file whose listed time is inconclusive', async () => {
    const { code, stderr } = await gantry(['cp', 'f', ':/x'], async (call, pass) => {
      if (!isListing(call)) return undefined;
      const entries = JSON.parse((await pass()).body) as object[];
      return { body: JSON.stringify(entries.map((entry) => ({ ...entry, last_modified: '2020-01-01T00:00:00Z' }))) };
    });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('not copied')]);
    expect(calls('getDownloadLink')).toHaveLength(3);
    expect(calls('object').every(({ status }) => status === 206)).toBe(true);
  });

  test('fails files whose listing failed, with the error of the listing', async () => {
    const { code, json, stderr } = await gantry(['cp', 'f', ':/x', '--json'], (call) =>
      isListing(call) && calls('completeUpload').length > 0
        ? { status: 403, body: '{"message":"no listing for you"}' }
        : undefined,
    );
    expect(code).toBe(5);
    expect(json()).toMatchObject({ files: 0, failed: [{ code: 'denied' }, { code: 'denied' }, { code: 'denied' }] });
    expect(stderr).toContain('a.txt was uploaded, but not confirmed: no listing for you');
    expect(stderr).not.toContain('is not copied');
  });

  test('continues in the same command after an interrupt, without uploading twice', async () => {
    here = newFolder({ 'f/big': noise(6 * 2 ** 20), 'f/small': 'small' });
    const words = ['cp', 'f', ':/x', '--part-size', '5MiB', '--json'];
    const stop = new AbortController();
    const first = await gantry(
      words,
      (call) => {
        if (!isListing(call) || calls('completeUpload').length < 2) return undefined;
        stop.abort();
        return new Promise(() => {});
      },
      { stop: stop.signal },
    );
    expect(first.code).toBe(130);
    expect(first.json()).toMatchObject({ error: { details: { files: 0, bytes: 0 } } });
    const sent = calls('part').length;
    const second = await gantry(words, truthful);
    expect([second.code, second.json()]).toMatchObject([0, { files: 2, resumedBytes: 6 * 2 ** 20 + 5 }]);
    expect(calls('part')).toHaveLength(sent);
  });
});
