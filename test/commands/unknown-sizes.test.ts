import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { emulatorForEach } from '../support/emulators.ts';
import { filesIn, newFolder, noise } from '../support/files.ts';
import { gantry as run } from '../support/gantry.ts';
import { inFrontOf } from '../support/in-front-of.ts';
import { send, storage } from '../support/storage.ts';

let here: string;
/** Two parts. */
const large = noise(5 * 2 ** 20 + 2 ** 17);

const emulator = emulatorForEach();

beforeEach(async () => {
  here = newFolder();
  emulator.volume().write('/d/a.txt', 'first');
  emulator.volume().write('/d/empty', '');
  emulator.volume().write('/d/large', large);
});

describe.each([undefined, -1, 0.5, 'large'])('if all files are listed with the size %j', (size) => {
  const gantry = async (...words: string[]) => {
    const env = await inFrontOf(emulator, async ({ route }, pass) => {
      if (!route.endsWith('/ls')) return undefined;
      const entries = JSON.parse((await pass()).body) as object[];
      return { body: JSON.stringify(entries.map((entry) => ({ ...entry, size_bytes: size }))) };
    });
    return run(words, { emulator, cwd: here, env: { GANTRY_CONFIG_DIR: join(here, '.home'), ...env } });
  };
  const whole = () => {
    expect(filesIn(join(here, 'd'))).toEqual(['a.txt', 'empty', 'large']);
    expect(readFileSync(join(here, 'd/a.txt'), 'utf8')).toBe('first');
    expect(readFileSync(join(here, 'd/large')).equals(large)).toBe(true);
  };

  test('cp copies them', async () => {
    const { code, json } = await gantry('cp', ':/d', 'd', '--json', '--part-size', '5MiB');
    expect([code, json()]).toMatchObject([0, { files: 3, bytes: 5 + large.length, failed: [] }]);
    whole();
  });

  test('sync copies them', async () => {
    expect((await gantry('sync', ':/d', 'd', '--delete')).code).toBe(0);
    whole();
  });

  test('cp copies them from volume to volume', async () => {
    expect((await gantry('cp', ':/d', ':/e')).code).toBe(0);
    expect(emulator.volume().text('/e/a.txt')).toBe('first');
  });

  test('cat prints them', async () => {
    expect(await gantry('cat', '/d/a.txt', '/d/empty', '/d/a.txt')).toMatchObject({ code: 0, stdout: 'firstfirst' });
  });

  test('ls lists them', async () => {
    const { code, stdout } = await gantry('ls', '/d');
    expect([code, stdout]).toEqual([0, expect.stringContaining('large')]);
  });
});

describe('a storage that', () => {
  const gantry = (env: Record<string, string>, ...words: string[]) =>
    run(words, { cwd: here, env: { ...env, GANTRY_CONFIG_DIR: join(here, '.home') } });

  test('does not support ranges shows the size by the length of its reply', async () => {
    const { env } = await storage({ name: 'a', bytes: -1 }, ({ response }) =>
      send({ response, range: undefined }, large),
    );
    expect((await gantry(env, 'cp', ':/a', 'a')).code).toBe(0);
    expect(readFileSync(join(here, 'a')).equals(large)).toBe(true);
  });

  test.each(['cp :/a a', 'cat /a'])(
    'does not show the size either makes %s fail with an explanation',
    async (words) => {
      const { env } = await storage({ name: 'a', bytes: -1 }, ({ response }) => {
        response.write('first');
        response.end();
      });
      const { code, stderr } = await gantry(env, ...words.split(' '));
      expect([code, stderr]).toEqual([1, expect.stringContaining('neither the listing nor the storage reports')]);
      expect(filesIn(here).filter((name) => name === 'a')).toEqual([]);
    },
  );
});
